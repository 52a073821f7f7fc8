print true, " ", type(true)          % out: 1 int

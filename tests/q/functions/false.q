print false, " ", !false             % out: 0 1

print scalar(3)/2, " ", scalar("2.5"), " ", type(scalar(1)) % out: 1.5 2.5 scalar

print str2func("t -> t + 1")(2), " ", str2func("abs")(-3), " ", feval("max", 3, 7)
% out: 3 3 7

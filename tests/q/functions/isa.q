print isa(3.5, "float"), isa([1,2] > 1, "logical"), isa("t", "char"), isa({1}, "cell"), isa(x -> x, "function_handle"), isa(int(3), "integer")
% out: 111111

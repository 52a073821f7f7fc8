print strjoin({"a","b","c"},"-"), " ", strjoin({"x"}), strjoin({"a","b"})
% out: a-b-c xa b

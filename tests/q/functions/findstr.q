print findstr("banana", "an")
% out: 1

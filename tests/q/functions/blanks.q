print blanks(3), "."
% out:    .

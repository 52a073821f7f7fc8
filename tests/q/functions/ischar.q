print ischar("a"), ischar(3)
% out: 10

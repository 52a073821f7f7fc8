print isstruct(object(a:=1)), isstruct(1), isstruct("a"), isstruct([1,2])
% out: 1000

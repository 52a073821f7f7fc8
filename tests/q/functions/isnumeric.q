print isnumeric([1,2]), isnumeric("a"), isnumeric(1j), isnumeric({1})
% out: 1010

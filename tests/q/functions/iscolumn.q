print iscolumn([1,2]), iscolumn(ones(3,1))
% out: 01

print minus(1,2), " ", feval("minus",3,1)
% out: -1 2

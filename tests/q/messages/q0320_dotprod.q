print dotprod([1,2],[1,2,3])   % error[Q0320]: operands of 'dotprod' have 2 and 3 elements

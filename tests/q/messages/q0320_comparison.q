print [1,2] < [1,2,3]   % error[Q0320]: operands have incompatible sizes 1x2 and 1x3

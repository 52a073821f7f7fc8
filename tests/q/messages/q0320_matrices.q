print ones(2,2) .* ones(3,3)   % error[Q0320]: operands have incompatible sizes 2x2 and 3x3

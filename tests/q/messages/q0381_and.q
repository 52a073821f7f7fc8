print [1,0] && 1   % error[Q0381]: operand of '&&' must be a scalar, not a 'vec'

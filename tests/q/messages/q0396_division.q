x = eye(2) / eye(2)   % error[Q0396]: '/' needs a scalar divisor: use './' for element-wise division

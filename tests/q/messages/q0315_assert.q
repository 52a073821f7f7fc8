assert(1 > 2)   % error[Q0315]: the assertion does not hold

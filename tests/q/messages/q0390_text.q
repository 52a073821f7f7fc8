x = zeros("a")   % error[Q0390]: the size of an array needs numbers, not a 'string'

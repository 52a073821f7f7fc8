x = zeros(ones(1,17))   % error[Q0390]: 17 dimensions

x = zeros(-1)   % error[Q0390]: a length of -1 for an array

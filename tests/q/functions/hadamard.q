print hadamard(2)
% out: [[1, 1],
% out:  [1, -1]]

print intlut([0,2], (0..255) .* 2)
% out: [0, 4]

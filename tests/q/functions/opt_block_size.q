k = __kernel__ (y : mat, pos : ivec2) -> y[pos] = 0
print opt_block_size(k)
% out: [16, 32]

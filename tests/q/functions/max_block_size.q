k = __kernel__ (y : vec, pos : int) -> y[pos] = pos
print max_block_size(k,[4,8]), " ", max_block_size(k,[64,64]), " ", prod(max_block_size(k))
% out: [4, 8] [32, 32] 512

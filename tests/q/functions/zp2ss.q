[A, B, C, D] = zp2ss([], [-1], 2)
print C
% out: [2]

[Q,R] = qr([[3,0],[4,5]])
print round(R), " ", round(Q*10)
% out: [[5, 4],
% out:  [0, 3]] [[6, -8],
% out:  [8, 6]]

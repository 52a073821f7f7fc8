D[0] = 3   % warning[Q0127]: 'D' grows with what is stored in it
print D
% out: [3]

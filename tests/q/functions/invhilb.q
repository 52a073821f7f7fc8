print invhilb(2)
% out: [[4, -6],
% out:  [-6, 12]]

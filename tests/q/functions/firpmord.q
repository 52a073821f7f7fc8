[n, f, m, w] = firpmord([1500,2000], [1,0], [0.01,0.1], 8000)
print n
% out: 20

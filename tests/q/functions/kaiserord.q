[n, w, beta] = kaiserord([1000,1500], [1,0], [0.01,0.01], 8000)
print n
% out: 36

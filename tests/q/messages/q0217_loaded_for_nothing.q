save("nothing.mat", "a", 1, "b", 2)
load("nothing.mat")   % warning[Q0217]: nothing takes what is loaded from 'nothing.mat'

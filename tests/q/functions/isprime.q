print isprime([0,1,2,9,97]), " ", isprime(7)
% out: [0, 0, 1, 0, 1] 1

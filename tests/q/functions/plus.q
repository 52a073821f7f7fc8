print plus(1,2), " ", feval(plus,[1,2],3)
% out: 3 [4, 5]

print plus(1,2), minus(1,2), " ", times([1,2],[3,4]), rdivide([1,2],2), " ", mtimes([[1,2]],[[3],[4]]), power([1,2],2), uminus(3)
print eq([1,2],[1,3]), ne([1,2],[1,3]), lt([1,2],2), gt([1,2],1), le([1,2],1), ge([1,2],2)
print feval(plus,1,2), cellfun(times,{1,2},{3,4}), feval("minus",3,1)
% out: 3-1 [3, 8][0.5, 1] [11][1, 4]-3
% out: [1, 0][0, 1][1, 0][0, 1][1, 0][0, 1]
% out: 3{3, 8}2

print prepad([1,2],4), prepad([1,2,3],2), postpad([1,2],4), postpad([1,2,3],2), prepad([],2), postpad([5],3,1)
% out: [0, 0, 1, 2][2, 3][1, 2, 0, 0][1, 2][0, 0][5, 1, 1]

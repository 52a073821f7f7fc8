x = vertcat([1,2],[1,2,3])   % error[Q0393]: 'vertcat' of arrays of sizes 1x2 and 1x3

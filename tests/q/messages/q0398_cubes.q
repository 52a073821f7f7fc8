x = ones(2,2,2) * ones(2,2,2)   % error[Q0398]: '*' of arrays of sizes 2x2x2 and 2x2x2

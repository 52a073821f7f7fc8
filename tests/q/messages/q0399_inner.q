x = eye(2) * [[1,2,3]]   % error[Q0399]: inner dimensions of 2x2 and 1x3 do not agree

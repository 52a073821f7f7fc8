x = solve(eye(2),[1,2,3])   % error[Q0399]: a right side with 3 rows for a system of 2 equations

x = solve([[1,1],[1,2],[1,3]],[1,2])   % error[Q0399]: a right side with 2 rows for a system of 3 equations

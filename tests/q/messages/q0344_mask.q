x = [1,2,3]
x[x > 1] = [7,8,9]   % error[Q0344]: cannot assign

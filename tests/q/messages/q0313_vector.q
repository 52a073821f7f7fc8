v = [1,2,3]
[a, b] = v   % error[Q0313]: 3 values are assigned to 2 variables

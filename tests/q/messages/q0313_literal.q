[a, b] = [1, 2, 3]   % error[Q0313]: 3 values are assigned to 2 variables

a = [1,2]
b = (a : cube{4})
c = (a : string)   % error[Q0312]: Type check failed: 'vec' is not 'string'

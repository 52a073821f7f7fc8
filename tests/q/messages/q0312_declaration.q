x : int = 1
x = "a"   % error[Q0312]: 'string' is not 'int'

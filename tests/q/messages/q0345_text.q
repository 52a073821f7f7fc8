x = [1,2]
x[0] = "a"   % error[Q0345]: cannot store a 'string' in 'x', whose elements are 'scalar'

x = [1,2]
x[0] = 1j   % error[Q0345]: cannot store a 'cscalar' in 'x', whose elements are 'scalar'

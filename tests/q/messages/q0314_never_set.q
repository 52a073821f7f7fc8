c = cell(2)
print sum(c[0])   % error[Q0314]: argument 1 of 'sum' was never set

x : mat
print x   % error[Q0302]: 'x'

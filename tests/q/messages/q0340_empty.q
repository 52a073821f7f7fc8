x = []
print x[0]   % error[Q0340]: index 0 is out of bounds in 'x', which is empty

x = [1,2,3]
print x[3]   % error[Q0340]: index 3 is out of bounds (0..2) in 'x'

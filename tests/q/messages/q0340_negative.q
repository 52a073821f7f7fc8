x = [1,2,3]
print x[-1]   % error[Q0340]: index -1 is out of bounds (0..2) in 'x'

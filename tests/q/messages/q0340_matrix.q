A = eye(2)
print A[0,2]   % error[Q0340]: index 2 is out of bounds (0..1) in 'A'

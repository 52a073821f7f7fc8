A = eye(2)
A[5,0] = 1   % error[Q0340]: index 5 is out of bounds (0..1) in 'A'

print [1,2][2]   % error[Q0340]: index 2 is out of bounds (0..1) in array

print mod(5,0)   % error[Q0326]: mod by the integer 0

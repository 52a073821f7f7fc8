a = vec[uint8](3)
b = a + 1   % error[Q0321]: uint8
% compile

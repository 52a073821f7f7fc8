x = zeros(5)
x[0..2] = [1,2]   % error[Q0344]: cannot assign 1x2 values to a selection of size

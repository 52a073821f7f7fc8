x : cube{2.5}   % error[Q0110]: expected a number of dimensions
% compile

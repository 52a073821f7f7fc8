a = 1 ? 2   % error[Q0110]: expected
% compile

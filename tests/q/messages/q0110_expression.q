a = * 3   % error[Q0110]: expected
% compile

a = )
b = 1
c = ]   % error[Q0110]: expected
% compile

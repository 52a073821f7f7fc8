a = 3000000000   % error[Q0104]: does not fit
% compile

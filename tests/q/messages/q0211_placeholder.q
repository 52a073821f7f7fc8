a = 1 + _   % error[Q0211]: value
% compile

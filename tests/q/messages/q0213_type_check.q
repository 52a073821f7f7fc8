print(1:cube)   % error[Q0213]: Type check failed
% compile

x : ^mat   % error[Q0204]: mat
% compile

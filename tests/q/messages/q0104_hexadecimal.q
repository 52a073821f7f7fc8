a = 1FFFFFFFFh   % error[Q0104]: does not fit
% compile

sin(1) = 4   % error[Q0123]: the left side of an assignment must be
% compile

3 = 4   % error[Q0123]: the left side of an assignment must be a variable, an element or a field
% compile

3 + 4 : int   % error[Q0122]: only a variable or a field can be declared
% compile

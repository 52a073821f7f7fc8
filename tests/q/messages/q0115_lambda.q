f = (a, b = 3) -> a + b   % error[Q0115]: lambda expressions cannot have optional arguments
% compile

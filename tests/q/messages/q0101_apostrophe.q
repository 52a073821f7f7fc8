a = [1,2]
b = a'   % error[Q0101]: the apostrophe has no meaning here
% compile

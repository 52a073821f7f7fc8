a = 3 & 1   % error[Q0101]: the character '&' has no meaning here
% compile

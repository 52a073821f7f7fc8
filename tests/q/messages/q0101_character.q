print 1 § 2   % error[Q0101]: the character '§' has no meaning here
% compile

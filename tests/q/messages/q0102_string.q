print "abc   % error[Q0102]: the string is not closed on its line
% compile

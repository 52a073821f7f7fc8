if 1; print 2; endif   % error[Q0119]: 'if' needs a line of its own
% compile

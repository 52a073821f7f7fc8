x = 1
endif   % error[Q0116]: 'endif'
% compile

else   % error[Q0116]: 'else'
% compile

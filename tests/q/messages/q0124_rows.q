a = [1,2; 3,4]   % error[Q0124]: ';' does not separate matrix rows
% compile

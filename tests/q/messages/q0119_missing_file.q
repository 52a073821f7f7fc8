import "no_such_file.q"   % error[Q0119]: import: file 'no_such_file.q' not found
% compile

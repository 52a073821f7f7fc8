import "fast.dll"   % error[Q0119]: import: 'fast.dll' is not supported
% compile

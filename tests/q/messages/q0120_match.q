match 1 with   % error[Q0120]: expected 'endmatch', found the end of the file
| 1 -> print 1
% compile

import "fast.dll"   % warning[Q0119]: import: 'fast.dll' is skipped: a library of machine code
import "C:\programs\mine.q"   % warning[Q0119]: 'C:\programs\mine.q' is skipped: a file of another machine
import "multirestransforms.q"   % warning[Q0119]: 'multirestransforms.q' is skipped: a module that is not there
import "immorphology.q"
if 0
    fast_sum(1)
endif
print "went on"
% out: went on

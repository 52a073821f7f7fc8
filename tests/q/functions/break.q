for i=0..9
   for j=0..9
       if j == 2
           break
       endif
   endfor
   if i == 1
       break
   endif
endfor
print i, j
% out: 12

x = 0
repeat
   x += 1
   if x == 2
       continue
   endif
   print x
until x >= 3
% out: 1
% out: 3

for x=[1,2,3]
   if x == 1
       print "one"
   elseif x == 2
       print "two"
   else
       print "many"
   endif
endfor
% out: one
% out: two
% out: many

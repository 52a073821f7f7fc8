s = 0
for i=0..9
   if mod(i,2) == 0
       continue
   endif
   s += i
endfor
print s
% out: 25

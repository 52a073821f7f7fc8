x = 10
n = 0
while x > 1
   x = mod(x,2) == 0 ? int(x/2) : 3*x+1
   n += 1
endwhile
print n
% out: 6

for i=1..2..5
   print i
endfor
for v=2.^(1..3)
   print v
endfor
for k=3..1
   print "never"
endfor
% out: 1
% out: 3
% out: 5
% out: 2
% out: 4
% out: 8

tic()
s = 0
for i=0..1000
s += i
endfor
t = toc("")
print t > 0, t < 60000
% out: 11

ok = 1
for i=0..23
ok = ok * (pos2ind([2,3,4],ind2pos([2,3,4],i)) == i)
endfor
print ok
% out: 1

loglog([1,10,100,1000],[1,10,100,1000],"q_l.svg")
f = fopen("q_l.svg")
found = 0
while !feof(f)
found += strfind(fgetl(f),">100<") >= 0
endwhile
print found
% out: 2

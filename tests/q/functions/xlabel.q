plot([1,2,3],"q_l.svg")
xlabel("pixels")
f = fopen("q_l.svg")
found = 0
while !feof(f)
found += strfind(fgetl(f),">pixels<") >= 0
endwhile
print found
% out: 1

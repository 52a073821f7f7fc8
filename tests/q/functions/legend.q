plot([1,2,3],"q_n.svg")
legend("one")
f = fopen("q_n.svg")
found = 0
while !feof(f)
found = max(found, strfind(fgetl(f),">one<") >= 0)
endwhile
print found
% out: 1

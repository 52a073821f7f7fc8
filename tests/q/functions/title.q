plot([1,2,3],"q_t.svg")
title("A title")
f = fopen("q_t.svg")
found = 0
while !feof(f)
found = max(found, strfind(fgetl(f),">A title<") >= 0)
endwhile
print found
% out: 1

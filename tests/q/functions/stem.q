stem([3,1])
title("stems")
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"#0072b2") >= 0
endwhile
print found
% out: 18

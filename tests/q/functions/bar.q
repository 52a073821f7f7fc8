bar([3,1,2])
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"<polygon") >= 0
endwhile
print found
% out: 3

scatter([1,2,3],[4,1,3],"r+")
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"#dc2626") >= 0
endwhile
print found
% out: 6

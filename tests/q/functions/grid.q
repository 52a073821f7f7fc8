plot([0,1])
grid("on")
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"#e0e0e0") >= 0
endwhile
print found
% out: 12

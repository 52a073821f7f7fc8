surf([[0,1],[1,2]])
zlabel("height")
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),">height<") >= 0
endwhile
print found
% out: 1

surf([[0,1,0],[1,2,1],[0,1,0]])
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"<polygon") >= 0
endwhile
print found
% out: 4

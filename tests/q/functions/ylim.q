plot([0,1,2],[0,1,4])
ylim([0,100])
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),">100<") >= 0
endwhile
print found
% out: 1

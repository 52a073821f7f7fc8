plot([0,1,2],[0,1,4])
axis([0,100,0,200])
axis("auto")
axis([0,100,0,200])
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),">200<") >= 0
endwhile
print found
% out: 1

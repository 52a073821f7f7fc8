plot([0,1])
text(0.5,0.5,"here")
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),">here<") >= 0
endwhile
print found
% out: 1

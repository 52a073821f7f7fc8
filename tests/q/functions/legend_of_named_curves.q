plot([0,1,4], "DisplayName", "squares")
legend()
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"squares") >= 0
endwhile
print found
% out: 1

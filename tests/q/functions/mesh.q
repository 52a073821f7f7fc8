mesh([0,10,20],[5,6],[[0,1,0],[1,2,1]])
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"#ffffff") >= 0
endwhile
print found
% out: 2

% Axes fill their box as they do without a word; limits stay.
plot([0,1,2], [0,1,4])
axis([0,100,0,200])
axis("fill")
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    line = fgetl(f)
    found += strfind(line, ">200<") >= 0
endwhile
print found
% out: 1

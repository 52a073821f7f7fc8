plot([0,1],[0,1],"r--",[0,1],[1,0],"bo")
hold("on")
plot(transpose([[0,1,2],[2,1,0]]))
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"#dc2626") >= 0
endwhile
print found
% out: 32

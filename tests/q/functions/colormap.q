imshow([[0,1],[2,4]],[])
colormap("jet")
colorbar()
f = fopen("imshow_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),"<image") >= 0
endwhile
print found
% out: 1

subplot(1,2,0)
plot([0,1,4])
title("left")
subplot(1,2,1)
imshow([[0,255],[255,0]])
title("right")
f = fopen("plot_001.svg")
found = 0
while !feof(f)
    found += strfind(fgetl(f),">left<") >= 0
endwhile
print found
% out: 1

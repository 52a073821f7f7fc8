figure()
plot([0,1,4])
ylabel("left")
yyaxis("right")
h = plot([90000,20000,50000])
ylabel("metres")
title("both")
xlabel("time")
legend("a","b")
yyaxis("left")
f = fopen(h.file)
[right, left, ticks, both] = [0, 0, 0, 0]
while !feof(f)
    line = fgetl(f)
    right += strfind(line,">metres<") >= 0
    left += strfind(line,">left<") >= 0
    ticks += strfind(line,">80000<") >= 0
    both += strfind(line,">both<") >= 0
end
print right, left, ticks, both
% out: 1111
try
    yyaxis("top")
catch e
    print e
end
% out: argument 1 of 'yyaxis' needs "left" or "right", not a 'string'

figure()
tiledlayout(2,2)
nexttile([1,2])
plot([0,1,4])
nexttile
bar([3,1,2])
nexttile(3)
title("last")
plot([1,2])
figure()
tiledlayout("flow")
{!serial for}
for k = 1..5
    nexttile
    h = plot([0,k])
end
f = fopen(h.file)
lines = 0
while !feof(f)
    lines += strfind(fgetl(f), "#0072b2") >= 0
end
print lines > 0
% out: 1
try
    nexttile(99)
catch e
    print e
end
% out: there are no axes 99 in a grid of 2 by 3

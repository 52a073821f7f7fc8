tiledlayout(1,2)
nexttile
plot([0,1,4])
nexttile
bar([3,1,2])
try
    nexttile
catch e
    print e
end
for bad = {{0,2},{2,99}}
    try
        tiledlayout(bad[0],bad[1])
    catch e
        print e
    end
end
% out: no room is left for another tile
% out: 'tiledlayout' of 0 by 2
% out: 'tiledlayout' of 2 by 99

[low, high, low_back, high_back] = wfilters("db2")
print round(low .* 1000), round(high .* 1000)
% out: [-129, 224, 837, 483][-483, 837, -224, -129]

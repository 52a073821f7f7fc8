% Bounds that are whole numbers are exact, however large; others may be a little off.
function c = serial(n)
    c = 0
    last = -1
    for i = 0..n
        c = mod(c + i - last, 7)
        last = i
    end
    c = [c, last]
end
sizes = [1000, 1200000, 0.5]
print numel(0..sizes[1]-1), " ", numel(0..2..sizes[1]), " ", numel(sizes[1]..-1..0), " ", numel(0..sizes[2]..sizes[1]-1)
print serial(sizes[1]-1)
print numel(0..0.1..1), " ", numel(0..0.1..100000), " ", numel(0..sizes[0]*0.001*3)
n = zeros(1,3)
for k = 0..2
    s = 0
    for i = 0..sizes[k]
        s += 1
    end
    n[k] = s
end
print n
% out: 1200000 600001 1200001 2399999
% out: [4, 1199999]
% out: 11 1000001 4
% out: [1001, 1200001, 1]

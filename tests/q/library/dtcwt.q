% The transforms give back what they were given, keep its energy, hardly feel a shift, and tell directions apart.
import "dtcwt.q"
x = sin((0..99).^2 ./ 100) + (0..99)/10
[low, high] = dtcwt(x, 4)
print numel(high), size(low), size(high[0]), size(high[3])
% out: 4[2, 7][1, 56][1, 7]
print max(abs(idtcwt(low, high, 100) - x)) < 1e-5
% out: 1
energy = sum(low.^2)
{!serial for}
for k=0..3
    energy = energy + sum(abs(high[k]).^2)
end
print abs(energy / sum(horzcat(x, ones(1,12)*x[99]).^2) - 1) < 1e-4
% out: 1
strength = zeros(1,8)
{!serial for}
for s=0..7
    z = zeros(1,128)
    z[60+s..127] = 1
    [_, high] = dtcwt(z, 4)
    strength[s] = sum(abs(high[3][1..6]).^2)
end
print max(strength) / min(strength) < 1.1
% out: 1
[low, high] = dtcwt([5], 1)
print round(idtcwt(low, high, 1)*1000)/1000
% out: [5]
p = zeros(37,50)
g = zeros(64,64)
for i=0..36
    for j=0..49
        p[i,j] = sin(i*j/20) + i/10
    end
end
for i=0..63
    for j=0..63
        g[i,j] = cos((i+j)*0.55)
    end
end
[low, high] = dtcwt2(p, 3)
print size(high[0]), size(high[2]), size(low[0])
% out: [20, 28, 6][5, 7, 6][5, 7]
print max(abs(idtcwt2(low, high, size(p)) - p)) < 1e-5
% out: 1
[_, a] = dtcwt2(g, 3)
[_, b] = dtcwt2(fliplr(g), 3)
s = [sum(abs(a[1][:,:,2]).^2), sum(abs(a[1][:,:,5]).^2), sum(abs(b[1][:,:,2]).^2), sum(abs(b[1][:,:,5]).^2)]
print s[0] > 10*s[1], s[3] > 10*s[2]
% out: 11

% Elements that inner loops add to are kept in registers. Iterations whose inner loops are empty leave the element alone:
% it may be the one that another iteration changes, or none at all.
x = 1.0 * (0..255)
c = zeros(256)
c[0] = 5
for i = 0..255
    for k = i..0
        c[0] += x[k] + 1
    endfor
endfor
print c[0], " ", sum(c)   % out: 6 6
d = zeros(256)
for i = 0..255
    for k = i..0
        for l = 0..2
            d[0] += x[l] + 1
        endfor
    endfor
endfor
print d[0], " ", sum(d)   % out: 6 6
e = zeros(256)
for i = 0..255
    for k = -i..-1..0
        e[0] += x[-k] + 1
    endfor
endfor
print e[0], " ", sum(e)   % out: 1 1
% The inner loop's bounds depend on the loop around it, and its element on neither.
g = zeros(256)
for i = 0..255
    for k = 0..3
        for l = k..2
            g[i] += x[l]
        endfor
    endfor
endfor
print g[0..1], " ", sum(g)   % out: [8, 8] 2048
% There is no element h[i+1] behind the last iteration, and its loop has no turns.
h = zeros(256)
for i = 0..255
    for k = i..254
        h[i+1] += 1.0
    endfor
endfor
print h[1], " ", h[255], " ", sum(h)   % out: 255 1 32640

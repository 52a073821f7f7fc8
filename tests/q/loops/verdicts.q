% What the loop analysis says about loops.
H = 4; W = 5
x = ones(H,W)
y = zeros(H,W)
for m=0..H-1                         % par: parallel over (m, n)
    for n=0..W-1
        y[m,n] = x[m,n] + x[m,n-1]
    endfor
endfor
s = 0.0
for i=0..H-1                         % par: parallel over (i), reduction(+) on s
    s += x[i,0]
endfor
h = zeros(4)
for i=0..H-1                         % par: parallel over (i), accumulates into h
    h[x[i,0]] += 1
endfor
for i=0..H-1                         % par: serial: it calls 'print'
    print i
endfor
% out: 0
% out: 1
% out: 2
% out: 3
v = zeros(8)
for i=1..7                           % par: serial: 'v' is read at v[i-1] and written at v[i]
% warning expected below
    v[i] = v[i-1] + 1
endfor
print v[7], " ", s, " ", sum(h), " ", y[0,0]   % out: 7 4 4 1

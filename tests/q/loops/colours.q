% Elements at equal distances, as colours of pixels, every second sample, or a row from its end, are read and written as rows.
H = 24; W = 80
x = zeros(H,W,3)
for m=0..H-1
    for n=0..W-1
        for c=0..2
            x[m,n,c] = mod(m*17 + n*31 + m*n*(c+1), 64)
        endfor
    endfor
endfor
y = zeros(size(x))
for m=1..H-2
    for n=16..W-17
        a = [0.,0.,0.]
        for k=-1..1
            for l=-2..2
                a += x[m+k,n+l,0..2] * (k + 2)
            endfor
        endfor
        y[m,n,0..2] = a
    endfor
endfor
print y[3,20,0..2], " ", y[22,63,0..2], " ", sum(y)   % out: [988, 940, 956] [894, 928, 962] 3040672
% Zero beyond the borders, colours in another order.
z = zeros(H,W,3)
for m=0..H-1
    for n=0..W-1
        z[m,n,2] = x[m,n-1,0] + x[m,n+1,0]
        z[m,n,0] = x[m,n,1]
        z[m,n,1] = x[m,n,2] - 1
    endfor
endfor
print z[0,0,0..2], " ", z[5,79,0..2], " ", sum(z[:,:,0]), " ", sum(z[:,:,1]), " ", sum(z[:,:,2])   % out: [0, -1, 31] [60, 6, 13] 60480 61024 118868
% Two colours of three, four of four, every second sample, from the end.
n = 200
s = 1.0 * (0..3*n-1)
t = zeros(3*n)
for i=0..n-1
    t[3*i] = s[3*i+1]
    t[3*i+2] = s[3*i] * 2
endfor
print t[0..5], " ", t[597..599], " ", sum(t)   % out: [1, 0, 0, 4, 0, 6] [598, 0, 1194] 179300
u = zeros(4*n)
for i=0..n-1
    u[4*i+1] = s[2*i]
    u[4*i+3] = s[2*i+1]
    u[4*i] = s[n-1-i]
    u[4*i+2] = s[2*(n-1-i)]
endfor
print u[0..7], " ", u[792..799], " ", sum(u)   % out: [199, 0, 398, 1, 198, 2, 396, 3] [1, 396, 2, 397, 0, 398, 0, 399] 139500
v = zeros(n)
w = zeros(2*n)
for i=0..n-1
    v[n-1-i] = s[i] + s[3*(n-1-i)+2]
    w[2*(n-1-i)] = s[2*i]
    w[2*(n-1-i)+1] = s[2*i+1]
endfor
print v[0..2], " ", v[197..199], " ", w[0..3], " ", sum(v), " ", sum(w)   % out: [201, 203, 205] [595, 597, 599] [398, 399, 396, 397] 80000 79800
% What a pixel's variables hold after the loop.
im : cube'clamped = zeros(6,7,3)
out = zeros(6,7,3)
for m=0..5         % par: parallel over (m, n)
    for n=0..6
        im[m,n,0..2] = [m, n, m*n]
    endfor
endfor
for m=0..5         % par: parallel over (m, n)
    for n=0..6
        a = [0.,0.,0.]
        for k=-1..1
            for l=-1..1
                a += im[m+k,n+l,0..2]
            endfor
        endfor
        q = m*10 + n
        out[m,n,0..2] = a
    endfor
endfor
print a, " ", q, " ", sum(out)   % out: [42, 51, 238] 56 4914
print out[2,3,0..2], out[0,0,0..2]   % out: [18, 27, 54][3, 3, 1]

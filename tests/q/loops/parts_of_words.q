% Bytes and halves that lie a word apart, sums over blocks of them, and channels weighted by another array.
x = mat[uint8](64, 160)
z = mat[uint8](64, 160)
h = vec[int16](4 * 205)
for m = 0..63
    for n = 0..159
        x[m,n] = mod(m * 31 + n * 57 + m * n, 256)
        z[m,n] = mod(m * 97 + n * 13, 256)
    endfor
endfor
for i = 0..4 * 205 - 1
    h[i] = mod(i * 7919, 60001) - 30000
endfor

% Blocks of eight columns and three rows.
y = mat[int](21, 20)
for m = 0..20
    for n = 0..19
        s = 0
        for k = 0..2
            for l = 0..7
                s += abs(x[3 * m + k,8 * n + l] - z[3 * m + k,8 * n + l])
            endfor
        endfor
        y[m,n] = s
    endfor
endfor
% out: 861032 1914 1746
print sum(y[:]), " ", y[0,0], " ", y[20,19]

% Every second and every fourth, with their signs.
a = vec[int](205)
for i = 0..204
    a[i] = h[4 * i] - 2 * h[4 * i + 1] + 3 * h[4 * i + 2] - h[4 * i + 3]
endfor
% out: 87593 -22081 79717
print sum(a), " ", a[0], " ", a[204]
b = vec[int](410)
for i = 0..409
    b[i] = max(h[2 * i], h[2 * i + 1])
endfor
% out: 2754346 27635
print sum(b), " ", b[409]

% Two channels, weighted.
c = cube[uint8](64, 80, 2)
for m = 0..63
    for n = 0..79
        for k = 0..1
            c[m,n,k] = shr(x[m,2 * n + k] * z[m,n] + 128, 8)
        endfor
    endfor
endfor
% out: 648119 0 36
print sum(c[:]), " ", c[0,0,0], " ", c[63,79,1]

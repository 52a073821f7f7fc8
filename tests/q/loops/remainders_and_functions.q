% Remainders and elementary functions, which a GPU computes without 64-bit numbers, too.
y = [-7.5, 7.5, 0.3, 1000, -0.25]
m = zeros(5)
r = zeros(5)
e = zeros(5)
for i = 0..4  % par: parallel over (i)
    m[i] = mod(y[i], 0.75)
    r[i] = rem(y[i], -2)
    e[i] = exp(-abs(y[i])) + sin(y[i]) * tanh(y[i])
endfor
print m   % out: [0, 0, 0.3, 0.25, 0.5]
print r   % out: [-1.5, 1.5, 0.3, 0, -0.25]
print e   % out: [0.938552, 0.938552, 0.826907, 0.82688, 0.839395]

% Floats are clipped to integer types and by 'clamp' as the host does it, and shifts of the host never overflow.
x = linspace(-3, 3, 7)
a = vec[uint8'sat](7)
b = vec[int8'sat](7)
c = vec[int'sat](7)
y = zeros(7)
z = vec[int](7)
w = vec[int](7)
for i = 0..6      % par: parallel over (i)
    a[i] = x[i]*100 + 0.75      % warning[Q0360]: type conversion
    b[i] = x[i]*60.3            % warning[Q0360]: type conversion
    c[i] = x[i]*1.1e9           % warning[Q0360]: type conversion
    y[i] = clamp(x[i] + 0.25, 2) + 10*clamp(i, 4)
    z[i] = shl(i - 3, 30)
    w[i] = shr(-i, 1) + shl(i, 32) + shl(and(i, 5), 2)
endfor
print a          % out: [0, 0, 0, 0, 100, 200, 255]
print b          % out: [-128, -120, -60, 0, 60, 120, 127]
print c[0], " ", c[3], " ", c[6]          % out: -2147483648 0 2147483647
print y          % out: [0, 10, 20, 30.25, 41.25, 42, 42]
print z          % out: [1073741824, -2147483648, -1073741824, 0, 1073741824, -2147483648, -1073741824]
print w          % out: [0, 3, -1, 2, 14, 17, 13]
print clamp([-0.5, 1.5, 7], 2)          % out: [0, 1.5, 2]

% A variable that begins as an int and takes an int64: exact on every device, though a float would do for what it begins with.
n = 3
a = int64(zeros(n))
for i = 0..n-1
    a[i] = 70000001*i - 599999999
endfor
y = int(zeros(n))
for i = 0..n-1
    t = 1
    for j = 0..2
        t = mod(t*3 + a[i], 1000)
    endfor
    y[i] += mod(t, 50)
endfor
print y                         % out: [40, 3, 16]
z = zeros(n)
for i = 0..n-1
    t = 1                       % a float in some iterations
    if i == 1
        t = 0.5
    endif
    z[i] = mod(t*3 + a[i], 1000)
endfor
print z                         % out: [4, 0, 6]
w = int64(zeros(n))
for i = 0..n-1
    s = 0
    for j = 0..n-1
        s += a[j]*(i + 1)
    endfor
    w[i] = s
endfor
print w                         % out: [-1589999994, -3179999988, -4769999982]
% falls back: the for-loop

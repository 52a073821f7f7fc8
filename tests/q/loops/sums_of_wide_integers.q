% Variables that begin as an int and take int64: of 64 bits from the start in kernels, with the type that the host gives them.
n = 40
a = int64(zeros(n))
for i = 0..n-1
    a[i] = int64(1000000007)*(i - 15)
endfor
s = 0
for i = 0..n-1
    s += a[i]
endfor
print s, " ", type(s)             % out: 180000001260 int64
m = 0
k = 0
for i = 0..n-1
    m = max(m, a[i])
    k = min(k, a[i])
endfor
print m, " ", k, " ", type(k)     % out: 24000000168 -15000000105 int64
w = int64(zeros(n))
for i = 0..n-1
    t = 1
    for j = 0..i
        if mod(j, 3) == 0
            t += 1
        else
            t = t + a[j]
        endif
    endfor
    w[i] = t*2
endfor
print w[0..4]                     % out: [4, -28000000192, -54000000374, -54000000372, -76000000526]
h = 7
{!serial for}
for i = 0..n-1
    h = mod(h*31 + a[i], 1000003)
endfor
print h, " ", type(h)             % out: 591380 int64
% falls back on qpu: the for-loop
c = int64(zeros(n))
r = 0
for i = 0..n-1
    r += a[i]
    c[i] = r
endfor
print c[0..2], " ", type(r)       % out: [-15000000105, -29000000203, -42000000294] int64
try
    y = int64(zeros(n))
    for i = 0..n-1
        q = 2000000000            % an int, whose double is none
        if i == 5
            q = a[i]
        endif
        y[i] = q + q
    endfor
catch e
    print "overflow"              % out: overflow
endtry

% Running results of all kinds: integers that become floats, products, truth values, with and without the iteration's own value.
y = mod((0..199).*3, 7).*0.25 - 0.5
k = mod((0..199).*3, 7)
z = zeros(200)
acc = 0
for i = 0..199       % par: in blocks over (i), running(+) on acc
    acc = acc + y[i]
    z[i] = acc
endfor
print acc, " ", z[3], " ", z[199]   % out: 49.75 0.75 49.75
acc = 0
for i = 0..199       % par: in blocks over (i), running(+) on acc
    z[i] = acc
    acc = acc + y[i]
endfor
print acc, " ", z[0], " ", z[3], " ", z[199]   % out: 49.75 0 0.75 49.75
m = 0
for i = 0..199       % par: in blocks over (i), running(>) on m
    m = max(m, y[i])
    z[i] = m / 2
endfor
print m, " ", z[0], " ", z[199]   % out: 1 0 0.5
m = 0
for i = 0..199       % par: in blocks over (i), running(>) on m
    if y[i] > m
        m = y[i]
    endif
    z[i] = m
endfor
print m, " ", z[0], " ", z[199]   % out: 1 0 1
m = 9.0
for i = 0..199       % par: in blocks over (i), running(<) on m
    m = y[i] < m ? y[i] : m
    z[i] = m + i
endfor
print m, " ", z[0], " ", z[199]   % out: -0.5 -0.5 198.5
p = 1
for i = 0..199       % par: in blocks over (i), running(*) on p
    p = p * (i < 20 ? 2.0 : 1.0)
    z[i] = p
endfor
print p, " ", z[0], " ", z[9], " ", z[199]   % out: 1048576 2 1024 1048576
found = 0
for i = 0..199       % par: in blocks over (i), running(||) on found
    z[i] = found
    found = found || y[i] > 0.9
endfor
print found, " ", z[0], " ", z[199]   % out: 1 0 1
all = 1
for i = 0..199       % par: in blocks over (i), running(&&) on all
    all = all && i < 100
    z[i] = all
endfor
print all, " ", z[99], " ", z[100]   % out: 0 1 0
n = 0
acc = 0
for i = 0..199       % par: in blocks over (i), running(+) on acc, running(+) on n
    acc = acc + y[i]
    n = n + (y[i] > 0)
    z[i] = acc * n
endfor
print acc, " ", n, " ", z[199]   % out: 49.75 114 5671.5
% Who looks at the integer before it is a float sees an integer, and `+=` keeps it one.
acc = 1
for i = 0..199       % par: serial: there is a dependency between iterations on variable 'acc', a running result that is read in every iteration
    z[i] = acc / 2   % warning: the for-loop is not parallelized
    acc = acc + y[i]
endfor
print acc, " ", z[0], " ", z[199]   % out: 50.75 0.5 25.375
acc = 0
for i = 0..199       % par: serial: there is a dependency between iterations on variable 'acc', a running result that is read in every iteration
    acc += y[i]      % warning: the for-loop is not parallelized
    z[i] = acc
endfor
print acc, " ", z[199]   % out: 29 29
d : int = 0
for i = 0..199       % par: in blocks over (i), running(+) on d
    d = d + y[i]     % warning: type conversion
    z[i] = d
endfor
print d, " ", z[199]   % out: 1 1

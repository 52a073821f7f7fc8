% Running sums and extremes: what they read and write is the same in blocks and one by one.
x = mod((0..199).*37, 101)
y = zeros(200)
s = 10.0
for i = 0..199       % par: in blocks over (i), running(+) on s
    s += x[i]
    y[i] = s
endfor
print y[0], " ", y[99], " ", y[199], " ", s   % out: 10 4996 10019 10019
z = zeros(200)
c = 0
for i = 199..-1..0   % par: in blocks over (i), running(+) on c
    z[i] = c
    t = 2*i
    c += t
endfor
print z[199], " ", z[100], " ", z[0], " ", c, " ", t, " ", i   % out: 0 29700 39800 39800 0 0
most = -1.0
least = 1000
w = zeros(200)
for i = 0..199       % par: in blocks over (i), running(<) on least, running(>) on most
    most = max(most, x[i])
    least = min(least, 500 - 2*i)
    if most > 90
        w[i] = most + least
    endif
endfor
print w[1], " ", w[150], " ", most, " ", least  % out: 0 300 100 102
% Too large a sum is reported as in order.
n = 2147483000
try
    for i = 0..199   % par: in blocks over (i), running(+) on n
        n += 100
        y[i] = n
    endfor
catch e
    print "full"     % out: full
endtry
% An index outside is an error, as in all loops that count as serial.
s = 0.0
try
    for i = 0..299   % par: in blocks over (i), running(+) on s
        s += 1
        y[i] = s
    endfor
catch e
    print y[199], " ", s  % out: 200 201
endtry
% What is combined may not depend on what was combined, nor on what the loop writes.
s = 0.0
for i = 0..99        % par: serial: there is a dependency between iterations on variable 's', a running result that is read in every iteration
    s += y[i+1]      % warning: the for-loop is not parallelized
    y[i] = s
endfor
s = 0.0
q = 0.0
for i = 0..99        % par: serial: there is a dependency between iterations on variable 'q', a running result that is read in every iteration
    s += x[i]        % warning: the for-loop is not parallelized
    q += s
    y[i] = q
endfor
print y[99]          % out: 249066

% Integers that become floats within an iteration are floats in the kernel from the start.
x = reshape(mod((0..1999).*37, 101), [40,50]) .* 0.25
y = zeros(40,50)
for m = 1..38        % par: parallel over (m, n)
    for n = 1..48
        lo = 1000
        hi = -1000
        sum3 = 0
        for a = -1..1
            for b = -1..1
                lo = min(lo, x[m+a,n+b])
                hi = max(hi, x[m+a,n+b])
                sum3 = sum3 + x[m+a,n+b]
            endfor
        endfor
        y[m,n] = hi - lo + sum3 / 9
    endfor
endfor
print round(sum(y)), " ", y[7,9]   % out: 58523 31.5
s = 0.0
for m = 0..39        % par: parallel over (m), reduction(+) on s
    t = 1
    if x[m,3] > 10
        t = x[m,3]
    endif
    s += t / 2 + (t == 1)
endfor
print s   % out: 225.25
% Sums that stay integers and such that `+=` keeps so.
for m = 0..39        % par: parallel over (m)
    t = 0
    for n = 0..49
        t += 1
    endfor
    u = 3
    u = u + t / 4
    y[m,0] = t + u
endfor
% One that becomes a float for all that follows goes on as one.
for m = 0..39        % par: parallel over (m)
    v = 1000000 + m
    v = v + x[m,0]
    y[m,1] = v - 1000000
endfor
print y[3,0], " ", sum(y[:,1])   % out: 65.5 1263
% What somebody asks the type of afterwards is what the last iteration left.
for m = 0..39        % par: parallel over (m)
    w = 7
    if x[m,0] > 1000
        w = x[m,0]
    endif
    y[m,2] = w
endfor
print w / 2, " ", y[39,2]   % out: 3.5 7
% A running value beside it.
z = zeros(200)
acc = 0
for m = 0..199       % par: in blocks over (m), running(+) on acc
    acc = acc + m * 0.5
    t = 0
    if mod(m, 3) == 0
        t = acc
    endif
    z[m] = t
endfor
print acc, " ", z[99], " ", z[100]   % out: 9950 2475 0
% An integer that goes from one iteration to the next takes what is added to it as an integer, as long as it is one.
c = 0
e = zeros(1,20000)
for m = 1..19999   % par: serial: there is a dependency between iterations on variable 'c'
    c += 1.5 * mod(m, 3)   % warning: type conversion
    e[m] = c
    c = mod(m, 9) > 4 ? 0.25 * mod(m, 7) : c * 0.5
endfor
print e[0..5], c   % out: [0, 1, 3.5, 1.75, 2.375, 4.1875]1.0625

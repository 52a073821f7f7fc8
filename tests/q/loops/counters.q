% What variables of inner loops hold behind the loops: known where bounds are, whatever the iterations do.
x = mod((0..999).*37, 101)
y = zeros(1000)
for i = 2..997       % par: parallel over (i)
    t = 0.0
    for k = -2..2
        t += x[i+k] * k
    endfor
    y[i] = t
endfor
print k, " ", t, " ", i, " ", sum(y)   % out: 2 67 997 274
s = 0.0
for i = 2..997       % par: parallel over (i), reduction(+) on s
    t = 0.0
    for a = -2..2..1
        for b = 5..-2..0
            t = max(t, x[i+a] * b)
        endfor
    endfor
    for b = 1..1
        t += b
    endfor
    s += t
endfor
print a, " ", b, " ", s   % out: 0 1 348481
% A loop that may be left, may be empty, or does not run in every iteration says nothing.
for i = 0..999       % par: parallel over (i)
    t = 0.0
    for k = 0..9
        if x[i] < k
            break
        endif
        t += k
    endfor
    if x[i] > 50
        for c = 0..3
            t += c
        endfor
    endif
    for d = 3..i-998
        t += d
    endfor
    for e = 0..2
        e = 7
    endfor
    y[i] = t
endfor
print k, " ", c, " ", e, " ", sum(y)   % out: 9 3 7 45137
n = 7
for i = 0..999       % par: parallel over (i), accumulates into y
    for n = 4..3
        y[i] += n
    endfor
    y[i] *= 2
endfor
print n, " ", sum(y)   % out: 7 90274
% Iterations that go on early do not come by the loop.
g = -1
for i = 0..999       % par: parallel over (i), accumulates into y
    if x[i] < 200
        continue
    endif
    for g = 0..4
        y[i] += g
    endfor
endfor
print g, " ", sum(y)   % out: -1 90274

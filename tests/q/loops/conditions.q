% Reductions that are written as conditions.
x = mod((0..99)*7, 31)
m = -1.0
n = 100.0
all_small = 1
some = 0
for i = 0..99      % par: parallel over (i), reduction(&&) on all_small, reduction(<) on n, reduction(>) on m, reduction(||) on some
    if x[i] > m
        m = x[i]
    endif
    if n > x[i]
        n = x[i]
    endif
    all_small = all_small && x[i] < 31
    some = some || x[i] == 13
endfor
print m, " ", n, " ", all_small, " ", some   % out: 30 0 1 1
s = 0.0
t = zeros(100)
for i = 0..99      % par: in blocks over (i), running(+) on s
    s += x[i]
    t[i] = s
endfor
print t[99]        % out: 1480

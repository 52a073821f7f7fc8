% Extremes with their positions, and variables that only some iterations set.
x = mod((0..999)*7, 31)
n = numel(x)
best = 0
pos = -1
for i = 0..n-1      % par: parallel over (i), reduction(>) on best with pos
    if x[i] > best
        best = x[i]
        pos = i
    endif
endfor
print best, " ", pos                     % out: 30 22
final = -1
for i = 0..n-1      % par: parallel over (i), reduction(>) on best with final
    if best <= x[i]
        final = i
        best = x[i]
    endif
endfor
print best, " ", final                   % out: 30 983
A = mod(reshape(0..199, 20, 10)*13, 59)
low = 100.0
for i = 0..19       % par: parallel over (i, j), reduction(<) on low with at, value
    for j = 0..9
        if A[i,j] < low
            low = A[i,j]
            at = [i, j]
            value = 2*A[i,j]
        endif
    endfor
endfor
print low, " ", at, " ", value           % out: 0 [0, 0] 0
none = 1000
there = -1
for i = 0..n-1      % par: parallel over (i), reduction(>) on none with there
    if x[i] > none
        none = x[i]
        there = i
    endif
endfor
print none, " ", there                   % out: 1000 -1
found = false
count = 0
for i = 0..n-1      % par: parallel over (i), reduction(+) on count
    if x[i] == 17
        found = true
        last = i
        count = count + 1
    endif
endfor
print found, " ", last, " ", count       % out: 1 990 32
flag = true
late = 7
for i = 0..n-1      % par: parallel over (i)
    if x[i] < 0
        flag = false
        late = i
    endif
endfor
print flag, " ", late                    % out: 1 7
bits = 0
same = 255
odd = 5
most = 0
for i = 0..n-1      % par: parallel over (i), reduction(&) on same, reduction(>) on most, reduction(|) on bits, reduction(~) on odd
    bits = or(bits, int(x[i]))
    same = and(int(x[i]) + 32, same)
    odd = xor(odd, int(x[i]))
    most = x[i] > most ? x[i] : most
endfor
print bits, " ", same, " ", odd, " ", most   % out: 31 32 24 30
s = 0
c = 0
for i = 0..n-1      % par: parallel over (i), reduction(+) on c, reduction(+) on s
    t = x[i] / 2
    s = s + t
    c = c + 1
endfor
print s, " ", c, " ", c/7, " ", t        % out: 7491.5 1000 142.857 9
% The position is used for something else, too.
c = 0
m = -1.0
for i = 0..n-1      % par: serial: there is a dependency between iterations on variable 'c'
% warning expected below
    if x[i] > m
        m = x[i]
        c = i
    endif
    c += 1
endfor
print m, " ", c                          % out: 30 1000
% A variable of an inner loop that is read later.
k = 77
y = zeros(n)
for i = 0..n-1      % par: parallel over (i)
    s = 0.0
    for k = 0..2
        s += x[i+k]
    endfor
    y[i] = s
endfor
print k, " ", y[997]                     % out: 2 33

% Numbers at the ends of what there is: loops come to the same on every device.
x = [1,2,nan,5,3,nan,0,2,1]
v = 1.0
for i = 0..8       % par: serial: there is a dependency between iterations on variable 'v'
    v = v > x[i] ? v : x[i]
endfor
print v            % out: 2
v = 1.0
for i = 0..8       % par: parallel over (i), reduction(>) on v
    v = x[i] > v ? x[i] : v
endfor
print v            % out: 5
n : vec[int] = int(mod(0..8, 5))
k = 2
for i = 0..8       % par: parallel over (i), reduction(>) on k
    k = k > n[i] ? k : n[i]
endfor
print k            % out: 4
v = nan
for i = 0..8       % par: parallel over (i), reduction(>) on v
    if x[i] > v
        v = x[i]
    endif
endfor
print v            % out: NaN
v = nan
for i = 0..8       % par: parallel over (i), reduction(>) on v
    v = max(v, x[i])
endfor
print v            % out: 5
% Integers that do not fit are errors, also in elements that iterations share.
h = vec[int](3)
for i = 0..999     % par: parallel over (i), accumulates into h
    h[mod(i,3)] += 1000000
endfor
print h            % out: [334000000, 333000000, 333000000]
try
    for i = 0..9999
        h[mod(i,3)] += 1000000
    endfor
catch e
    print "overflow"   % out: overflow
endtry
h[0..2] = 0
h[1] = 2147483640
try
    for i = 0..9999
        h[mod(i,3)] += 1
    endfor
catch e
    print h[1]     % out: 2147483647
endtry
% falls back: the for-loop
L : mat[int] = int(ones(2,2))
try
    for i = 0..199
        L[mod(i,2),1] *= 3
    endfor
catch e
    print L[0,1]   % out: 1162261467
endtry
big = [2147483647.0, 1, -1, -5]
s = 0
try
    for i = 0..3
        s += big[i]
    endfor
catch e
    print s        % out: 0
endtry

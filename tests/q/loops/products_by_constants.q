% Integers of 64 bits times constants: of those that fit 32 bits one multiplication, of others a whole one; what does not fit is an error.
% out: 345822 -32665 55834574839 55834574865 -55834574831 -55834574857
% out: -12999999999999983 1432600000000017 12992200000000017 -12999999999999983
% out: 26510685634560 5646603000000000000
% out: -2699386944279 4611686014132420609 4611686016279904256 -4611686016279904256 -4611686018427387903 -1183263490048
% out: 502596799 544133 667171 137406
% out: integer overflow in 1000000000000000000 * 31
% out: -12999999999999983
function y : vec[int64] = mixed(a : vec[int64])
    y = vec[int64](numel(a))
    for i = 0..numel(a)-1
        y[i] = a[i]*31 + 17 - 5*a[i]
    endfor
endfunction

function s : int64 = largest(a : vec[int64])
    s = int64(0)
    for i = 0..numel(a)-1
        s = max(s, a[i]*12345)
    endfor
endfunction

% The constant is as much as 32 bits hold, and one more.
function y : vec[int64] = limits(a : vec[int64])
    y = vec[int64](numel(a))
    for i = 0..numel(a)-1
        y[i] = i < 600 ? a[i]*2147483647 : a[i]*(int64(-2147483647) - 1)
    endfor
endfunction

function y : vec[int64] = checksums(a : vec[int64])
    y = vec[int64](numel(a))
    for i = 0..numel(a)-1
        h = a[i]
        for k = 1..4
            h = mod(h*1103 + 12345, int64(1000003))
        endfor
        y[i] = h
    endfor
endfunction

n = 1000
a = vec[int64](n)
b = vec[int64](n)
for i = 0..n-1
    a[i] = mod(i*7919, 10007) - 5000
    b[i] = int64(mod(i*7919, 10007) - 5000)*int64(1000000)*int64(100000)
endfor
a[500] = 2147483647
a[501] = int64(2147483647) + 1
a[502] = int64(-2147483647) - 1
a[503] = int64(-2147483647) - 2
c = mixed(a)
d = mixed(b)
print sum(c), " ", c[3], " ", c[500], " ", c[501], " ", c[502], " ", c[503]
print d[0], " ", d[999], " ", max(d), " ", min(d)
print largest(a), " ", largest(b[0..10])
e = limits(a)
print e[3], " ", e[500], " ", e[501], " ", e[502], " ", e[503], " ", e[999]
f = checksums(a)
print sum(f), " ", f[0], " ", f[501], " ", f[999]
b[77] = int64(1000000000)*int64(1000000000)
try
    d = mixed(b)
    print d[77]
catch e
    print e.message
endtry
print d[0]
% falls back on qpu: the for-loop

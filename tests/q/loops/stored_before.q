% Recurrences go on with what the iteration before has stored.
function y = smoothed(x, a, b)
    % Two steps back.
    y = zeros(numel(x))
    y[0] = x[0]
    y[1] = x[1]
    {!serial for}
    for i = 2..numel(x)-1
        y[i] = a*y[i-1] - b*y[i-2] + x[i]
    endfor
endfunction
function d : mat[int] = common(a : vec[int], b : vec[int])
    % The longest common subsequence.
    d = mat[int](numel(a)+1, numel(b)+1)
    {!serial for}
    for i = 1..numel(a)
        {!serial for}
        for j = 1..numel(b)
            d[i,j] = a[i-1] == b[j-1] ? d[i-1,j-1] + 1 : max(d[i-1,j], d[i,j-1])
        endfor
    endfor
endfunction
function s : vec[int] = walk(n : int)
    % From the end to the beginning, in steps of three.
    s = vec[int](n)
    s[n-1] = 5
    {!serial for}
    for i = n-4..-3..0
        s[i] = mod(3*s[i+3] + i, 1000)
    endfor
endfunction
y = smoothed(ones(300), 0.5, 0.25)
print y[0..5], " ", y[299]  % out: [1, 1, 1.25, 1.375, 1.375, 1.34375] 1.33333
a = vec[int](90)
b = vec[int](70)
for i = 0..89
    a[i] = mod(i*i + 3*i, 5)
endfor
for i = 0..69
    b[i] = mod(7*i*i + i, 5)
endfor
d = common(a, b)
print d[90,70], " ", d[45,35], " ", sum(d)  % out: 42 21 106891
s = walk(1000)
print s[0], " ", s[999], " ", sum(s)  % out: 929 5 164974
% Sums that do not fit.
f = vec[int](60)
f[0] = 1
f[1] = 1
try
    {!serial for}
    for i = 2..59
        f[i] = f[i-1] + f[i-2]
    endfor
catch e
    print "too large, ", f[10]  % out: too large, 89
endtry

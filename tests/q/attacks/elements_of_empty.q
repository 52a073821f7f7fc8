% An element of an empty selection: outside, like every element of it, and no end of the compiler.
n = 6
m = 4
a : mat'safe = reshape(0..n*m-1, n, m)
y = zeros(n)
z = zeros(n)
for i = 0..n-1
    y[i] = (a[i,1..0])[0] + 2
endfor
print y                                     % out: [2, 2, 2, 2, 2, 2]
for i = 0..n-1
    u = a[i,1..0]
    if u[i] == 0
        z[i] = numel(u) + 1
    endif
endfor
print z                                     % out: [1, 1, 1, 1, 1, 1]
t = 0.0
try
    for k = 0..n-1
        t = t/2 + (a[1..0,2] .* 3)[1] + k
    endfor
catch e
    print e                                 % out: index 1 is out of bounds in array, which is empty
endtry
print t                                     % out: 0
% falls back: the for-loop

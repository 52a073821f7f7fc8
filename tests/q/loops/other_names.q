% Names that do not stand for what they seem to.
a = zeros(8)
b = ones(4)
for i = 0..3       % par: serial: 't' is another name of 'a', which all iterations write
    t = a
    t[0] = t[0] + b[i]
endfor
print a[0]         % out: 4
y = zeros(9)
for i = 0..8       % par: serial: 't' is another name of 'u', of which elements are written
    u = [1,2]
    t = u
    t[0] = 9 + i
    y[i] = u[0]
endfor
print y            % out: [9, 10, 11, 12, 13, 14, 15, 16, 17]
% A function may change its argument through another one.
function [] = change(q, i)
    q[0] = q[0] + i
endfunction
function r = changed(q, i)
    change(q, i)
    r = q[0]
endfunction
a = zeros(8)
for i = 0..8       % par: serial: it calls 'changed', which changes elements of 'a'
    y[i] = changed(a, i)
endfor
print y, a[0]      % out: [0, 1, 3, 6, 10, 15, 21, 28, 36]36
% A position that is one only at times, or in another array.
c = zeros(4,4)
for i = 0..15      % par: serial: different iterations may write the same element of 'c'
    p = ind2pos(size(c), i)
    p[1] = 0
    c[p] = c[p] + 1
endfor
print c[0,0], " ", c[3,0]    % out: 4 4
c = zeros(4,4)
for i = 0..15      % par: serial: different iterations may write the same element of 'c'
    p = [0,0]
    c[p] = c[p] + 1
    p = ind2pos(size(c), i)
    c[p] = c[p] + 1
endfor
print c[0,:]       % out: [17, 1, 1, 1]
d = reshape(0..63,8,8)
for i = 0..15      % par: serial: 'd' is read at d[q] and written at d[p]
    p = ind2pos([4,4], i)
    q = ind2pos([2,8], i)
    d[p] = d[q] + 1
endfor
print d[2,0..3]    % out: [6, 7, 8, 9]
% A bound that the loop itself changes.
e = zeros(3,8)
j = 2
for i = 0..2
    for j = 0..j+1
        e[i,j] = 1
    endfor
endfor
print sum(e), " ", j     % out: 15 5
f = mat[int](4,4)
f[0,0] = 3
for i = 0..3
    for j = 0..f[0,0]
        f[i,j] = 1
    endfor
endfor
print sum(f)             % out: 10
% The variable of an inner loop that is set in it.
g = zeros(20)
for i = 0..6
    for j = 0..1
        [j, k] = [i, 0]
        g[2*i+j] = g[2*i+j] + i + 1
    endfor
endfor
print g[18], " ", g[15]  % out: 14 12
% What stands behind a break may not have run.
x = [0,5,3,1,6,4,2,0,5]
t = 100
for i = 0..8             % par: serial: there is a dependency between iterations on variable 't'
    repeat
        if x[i] > 3
            break
        endif
        t = x[i]
    until true
    y[i] = t
endfor
print y                  % out: [0, 0, 3, 1, 1, 1, 2, 0, 0]
% A function of the program with the name of a built-in one.
mod = (x, n) -> 0
h = zeros(10)
for i = 0..9             % par: serial: 'mod' is not the built-in function
    h[mod(i,10)] = h[mod(i,10)]*2 + i
endfor
print h[0]               % out: 1013

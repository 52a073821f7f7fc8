% An assignment whose value is used is no mere update.
x = [1,5,3,6,2,0,4,1,3]
y = zeros(9)
k = 0
for i = 0..8       % par: serial: there is a dependency between iterations on variable 'k', a running result that is read in every iteration
    if (k += 1) > 3
        y[i] = k
    endif
endfor
print y            % out: [0, 0, 0, 4, 5, 6, 7, 8, 9]
for i = 0..8       % par: serial: there is a dependency between iterations on variable 'k', a running result that is read in every iteration
    y[(k -= 1)] = i
endfor
print y            % out: [8, 7, 6, 5, 4, 3, 2, 1, 0]
for i = 0..8       % par: serial: there is a dependency between iterations on variable 'k', a running result that is read in every iteration
    while (k += 1) < x[i]
        y[i] = y[i] + 10
    endwhile
endfor
print y, k         % out: [8, 37, 6, 5, 4, 3, 2, 1, 0]12
h = zeros(4)
for i = 0..8       % par: serial: different iterations may write the same element of 'h'
    y[i] = (h[mod(i,4)] += 1)
endfor
print h, y         % out: [3, 2, 2, 2][1, 1, 1, 1, 2, 2, 2, 2, 3]
% What an operator may leave out, or evaluates twice.
c = zeros(9)
f = false
for i = 0..8
    f = f || (c[i] = i) > 5
endfor
print f, c         % out: 1[0, 1, 2, 3, 4, 5, 6, 0, 0]
n = 0
f = false
for i = 0..8
    f = f || (n += 1) > 5
endfor
print f, n         % out: 16
v = 2
for i = 0..8
    v = (c[i] = c[i] + x[i]) > v ? (c[i] = c[i] + x[i]) : v
endfor
print c, v         % out: [1, 11, 5, 9, 6, 5, 10, 1, 3]11
% An array that has no name.
function r = same(x)
    r = x
endfunction
a = zeros(9)
for i = 0..8       % par: serial: 'same(a)', whose elements it writes, is not the name of an array
    same(a)[0] = same(a)[0]*2 + 1
endfor
print a[0]         % out: 511
k = 3
for i = 0..8       % par: serial: '(k>2) ? a : c', whose elements it writes, is not the name of an array
    (k > 2 ? a : c)[0] = a[0] - i
endfor
print a[0]         % out: 475

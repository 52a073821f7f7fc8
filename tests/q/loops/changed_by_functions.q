% Functions that change elements of arrays that they are given: loops that call them run in order, as kernels on the processor.
function [] = swap(a : vec, i : int, j : int)
    t = a[i]
    a[i] = a[j]
    a[j] = t
endfunction
function [] = sift(a : vec, lo : int, hi : int)
    root = lo
    while 2*root + 1 <= hi
        c = 2*root + 1
        if c < hi && a[c] < a[c+1]
            c += 1
        endif
        if a[root] < a[c]
            swap(a, root, c)
            root = c
        else
            return
        endif
    endwhile
endfunction
function x = heapsort(x : vec)
    x = copy(x)
    n = numel(x)
    for s = floor(n/2)-1..-1..0
        sift(x, s, n - 1)
    endfor
    for e = n-1..-1..1
        swap(x, 0, e)
        sift(x, 0, e - 1)
    endfor
endfunction
function n = partition(a : vec, b : vec, p : scalar)
    n = 0
    for i = 0..numel(a)-1    % par: serial: it calls 'swap', which changes elements of 'a'
        if a[i] < p
            swap(a, i, n)
            swap(b, i, n)
            n += 1
        endif
    endfor
endfunction
function r = push(stack : vec, n : int, v : scalar)
    stack[n] = v
    r = n + 1
endfunction
x = mod(7919*(0..4999), 5003)
y = heapsort(x)
print y[0..4], y[4995..4999], sum(abs(y - sort(x)))
z = copy(x)
w = copy(x)
print partition(z, w, 2500), sum(z == w)
print partition(z, z, 1000)
print z[0..5]
st = zeros(6000)
n = 0
for i = 0..4999              % par: serial: it calls 'push', which changes elements of 'st'
    n = push(st, n, x[i])
    if mod(i, 3) == 0
        n -= 1
    endif
endfor
print n, st[0..5]
try
    for i = 0..7000
        n = push(st, i, 1)
    endfor
catch e
    print e
endtry
print sum(st), n
% out: [0, 1, 3, 3, 4][4997, 4999, 5001, 5001, 5002]0
% out: 24985000
% out: 1001
% out: [0, 829, 1658, 2487, 400, 1229]
% out: 3333[2916, 829, 1658, 4574, 400, 3316]
% out: index 6000 is out of bounds (0..5999) in 'stack'
% out: 60006000
% A function with a loop of its own, which is parallel: the host calls it.
function [] = smoothed(a : vec, b : vec)
    for i = 1..numel(a)-2           % par: parallel over (i)
        b[i] = (a[i-1] + 2*a[i] + a[i+1])/4
    endfor
endfunction
u = [0, 0, 8, 0, 0, 4, 0]
v = zeros(7)
for step = 1..3                     % par: serial: it calls 'smoothed', which cannot run on a device
    smoothed(u, v)
    smoothed(v, u)
endfor
print u
% out: [0, 1.17969, 1.87891, 1.94238, 1.52148, 0.825195, 0]

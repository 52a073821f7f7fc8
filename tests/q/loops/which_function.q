% Functions that are others than those of the same name that the text shows last.
a = ones(9)
y = zeros(9)
k = 3
if k > 2
    f = i -> (a[0] = a[0]*2 + i)
else
    f = i -> i
endif
for i = 0..8       % par: serial: it calls 'f', which is not known
    y[i] = f(i)
endfor
print y            % out: [2, 5, 12, 27, 58, 121, 248, 503, 1014]
g = i -> i
function [] = run(g)
    for i = 0..8   % par: serial: it calls 'g', which is not known
        y[i] = g(i)
    endfor
endfunction
a[0] = 1
run(i -> (a[0] = a[0]*2 + i))
print y            % out: [2, 5, 12, 27, 58, 121, 248, 503, 1014]
function r = inner(i)
    r = i
endfunction
function [] = outer()
    function r = inner(i)
        a[0] = a[0]*2 + i
        r = a[0]
    endfunction
    for i = 0..8   % par: serial: it calls 'inner', which is defined within a function
        y[i] = inner(i)
    endfor
endfunction
a[0] = 1
outer()
print y            % out: [2, 5, 12, 27, 58, 121, 248, 503, 1014]
% Arguments that are left out.
function r = counts(i, k = (a[0] = a[0]*2 + 1))
    r = i + k
endfunction
a[0] = 1
for i = 0..8       % par: serial: it calls 'counts', which cannot run on a device
    y[i] = counts(i)
endfor
print y            % out: [3, 8, 17, 34, 67, 132, 261, 518, 1031]
% Forced: what the program calls max.
max = (a, b) -> a + b*2
v = 1
{!parallel for}
for i = 0..8       % warning: the for-loop is parallelized although 'max' is not the built-in function
    v = max(v, i)
endfor
print v            % out: 73
mod = (a, b) -> 0
h = zeros(4)
{!parallel for}
for i = 0..8       % warning: the for-loop is parallelized although 'mod' is not the built-in function
    h[mod(i,4)] += 1
endfor
print h            % out: [9, 0, 0, 0]
% falls back: the for-loop

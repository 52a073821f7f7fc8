% Loops whose iterations need each other, run in order as compiled code: subscripts that leave their arrays, integers that leave
% their type, windows and reflections at the edges, elements at equal distances up to the last one.
function [y, n] = chase(x, step)
    y = zeros(numel(x))
    n = 0
    for i = 0..numel(x)-1
        if x[n] >= 0
            y[n] = x[i]
            n += step
        endif
    endfor
endfunction
function [] = attempt(what, x, step)
    try
        [y, n] = chase(x, step)
        print what, ": ", n, " ", sum(y)
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("steps of 1", ones(3000), 1)
attempt("steps of 2", ones(3000), 2)
attempt("steps of -1", ones(3000), -1)
attempt("steps of 1000", ones(3000), 1000)
attempt("steps of maxvalue(int)", ones(3000), maxvalue(int))
function y = last(x, back : int)
    y = copy(x)
    for i = 0..numel(x)-1
        y[i] = y[i] + y[i-back]
    endfor
endfunction
function [] = recur(what, x, back)
    try
        y = last(x, back)
        print what, ": ", sum(y)
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
recur("back 0", ones(2000), 0)
recur("back 1", ones(2000), 1)
recur("back -1", ones(2000), -1)
recur("back 5000", ones(2000), 5000)
function m = table(e, off : int)
    m = copy(e)
    for y = 1..size(e,0)-1
        for x = 0..size(e,1)-1
            m[y,x] = e[y,x] + min(m[y-1,max(x-off,0)], m[y-1,min(x+off,size(e,1)-1)])
        endfor
    endfor
endfunction
function m = stray(e, off : int)
    m = copy(e)
    for y = 1..size(e,0)-1
        for x = 0..size(e,1)-1
            m[y,x+off] = e[y,x] + m[y-1,x-off]
        endfor
    endfor
endfunction
e = reshape(mod(0..3999, 37), 80, 50)
print sum(table(e, 1)), " ", sum(table(e, 7)), " ", sum(stray(e, 0))
try
    print sum(stray(e, 1))
catch ex
    print ex.message
endtry
function y = window(x : mat, r : int)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = m-r..m+r
                for l = n-r..n+r
                    s += x[k,l]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction
print sum(window(e, 0)), " ", sum(window(e, 2)), " ", sum(window(e, -1)), " ", window(e, 60)[40,20]
function y = pairs(x : vec[uint8], step : int)
    y = vec[int](int(numel(x)/3))
    for i = 0..numel(y)-1
        y[i] = x[3*i] + 2*x[3*i+1] + 4*x[3*i+step]
    endfor
endfunction
for n = 46..51
    x = vec[uint8](n)
    for i = 0..n-1
        x[i] = mod(7*i, 256)
    endfor
    print n, ": ", sum(pairs(x, 2)), " ", sum(pairs(x, 3)), " ", sum(pairs(x, -1))
endfor
function y = reflected(x : vec'mirror, d : int)
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        y[i] = x[i-d] + 2*x[i+d]
    endfor
endfunction
for n = [1, 2, 3, 40]
    v = zeros(n)
    for i = 0..n-1
        v[i] = i*i
    endfor
    print n, ": ", sum(reflected(v, 1)), " ", sum(reflected(v, 3)), " ", sum(reflected(v, -39))
endfor
function [] = clamped_rows(m : mat'clamped, y : int)
    for i = 0..size(m,1)-1
        m[y,i] = m[y-1,i-1] + 1
    endfor
endfunction
c = reshape(0..39, 2, 20)
clamped_rows(c, 0)
print c[0,:]
% out: steps of 1: 3000 3000
% out: steps of 2: index 3000 is out of bounds (0..2999) in 'x'
% out: steps of -1: index -1 is out of bounds (0..2999) in 'x'
% out: steps of 1000: index 3000 is out of bounds (0..2999) in 'x'
% out: steps of maxvalue(int): index 2147483647 is out of bounds (0..2999) in 'x'
% out: back 0: 4000
% out: back 1: index -1 is out of bounds (0..1999) in 'y'
% out: back -1: index 2000 is out of bounds (0..1999) in 'y'
% out: back 5000: index -5000 is out of bounds (0..1999) in 'y'
% out: 2131295 1745156 2906873
% out: index 50 is out of bounds (0..49) in 'm'
% out: 71934 1730098 0 71934
% out: 46: 11365 11785 11157
% out: 47: 11365 11785 11157
% out: 48: 11848 11976 11556
% out: 49: 11848 12296 11556
% out: 50: 11848 12296 11556
% out: 51: 12478 12550 12102
% out: 1: 0 0 0
% out: 2: 3 3 3
% out: 3: 14 10 14
% out: 40: 62988 65508 61620
% out: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]

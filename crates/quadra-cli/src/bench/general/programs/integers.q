% Integers of 64 bits: products, quotients, remainders, sums, shifts.
function c : vec[int64] = products(a : vec[int64], b : vec[int64])
    c = vec[int64](numel(a))
    for i = 0..numel(a)-1
        c[i] = a[i]*b[i] + i
    endfor
endfunction

function [q : vec[int64], r : vec[int64]] = quotients(a : vec[int64], b : vec[int64])
    q = vec[int64](numel(a))
    r = vec[int64](numel(a))
    for i = 0..numel(a)-1
        q[i] = int(a[i]/b[i])
        r[i] = mod(a[i], b[i])
    endfor
endfunction

function y : vec[int64] = powers(a : vec[int64], m : int64)
    y = vec[int64](numel(a))
    for i = 0..numel(a)-1
        r : int64 = 1
        x : int64 = a[i]
        for k = 0..11
            r = mod(r*x, m)
            x = mod(x*x, m)
        endfor
        y[i] = r
    endfor
endfunction

function s : int64 = dot64(a : vec[int64], b : vec[int64])
    s : int64 = 0
    for i = 0..numel(a)-1
        s += a[i]*b[i]
    endfor
endfunction

function y : vec[int] = fixed_point(x : vec[int], scale : int64)
    y = vec[int](numel(x))
    for i = 0..numel(x)-1
        wide : int64 = x[i]
        y[i] = int(shr(wide*scale, 16))
    endfor
endfunction

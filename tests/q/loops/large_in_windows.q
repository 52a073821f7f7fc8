% Windows of five by five: whichever two elements are too large together, the sum says so.
function y : mat[int] = box(x : mat[int])
    y = mat[int](size(x, 0), size(x, 1))
    for m = 2..size(x, 0) - 3
        for n = 2..size(x, 1) - 3
            s = 0
            for k = -2..2
                for l = -2..2
                    s += x[m + k, n + l]
                endfor
            endfor
            y[m, n] = s
        endfor
    endfor
endfunction
function [] = attempt(p : int, q : int, r : int, s : int, big : int)
    x = mat[int](24, 100)
    for m = 0..23
        for n = 0..99
            x[m, n] = mod(m * 17 + n * 31 + m * n * 7, 11) - 5
        endfor
    endfor
    x[p, q] = big
    x[r, s] = 2147483647 - big - 200
    try
        y = box(x)
        print sum(y[:, 50]), " ", y[21, 97], " ", max(y)
    catch e
        print e
    endtry
    x[r, s] = 2147483647 - big + 200
    try
        y = box(x)
        print sum(y[:, 50]), " ", y[21, 97], " ", max(y)
    catch e
        print e
    endtry
endfunction
attempt(4, 4, 8, 8, 2000000000)
attempt(0, 0, 0, 1, 1073741824)
attempt(23, 99, 19, 99, 268435456)
attempt(10, 50, 13, 51, 1500000000)
attempt(10, 50, 16, 51, 1500000000)
attempt(7, 15, 7, 16, 1073741823)
attempt(9, 33, 8, 34, 1900000000)
% out: 299 10 2147483464
% out: integer overflow in 2000000017 + 147483847
% out: 299 10 2147483442
% out: integer overflow in 1073741824 + 1073742023
% out: 299 2147483457 2147483457
% out: integer overflow in 1879048401 + 268435456
% out: 10737417514 10 2147483474
% out: integer overflow in 1500000006 + 647483847
% out: 10737417514 10 1500000030
% out: 10737419514 10 1500000030
% out: 299 10 2147483469
% out: integer overflow in 1073741841 + 1073742024
% out: 299 10 2147483458
% out: integer overflow in 247483858 + 1900000000

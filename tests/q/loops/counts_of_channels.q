% Nests that only count, with few iterations innermost: channels, components, both ends.
function h : mat[int] = of_colours(x : cube[uint8])
    h = mat[int](3, 256)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                h[c,x[m,n,c]] += 1
            endfor
        endfor
    endfor
endfunction
function [h : vec[int], last : int] = of_differences(x : cube[uint8], d : vec[int])
    h = vec[int](512)
    for m = 1..2..size(x,0)-1
        for n = 2..size(x,1)-2
            for k = 0..numel(d)-1
                last = x[m,n,0] - x[m,n+d[k],2] + 255
                if last != 255
                    h[last] += 1 + k
                endif
            endfor
        endfor
    endfor
endfunction
function h : mat[int] = of_pairs(x : mat[int])
    h = mat[int](2, 64)
    for n = 0..size(x,0)-1
        for k = -1..0
            h[k+1,bitand(x[n,k+1], 63)] += 1
        endfor
    endfor
endfunction
x = cube[uint8](40, 100, 3)
p = mat[int](3000, 2)
for m = 0..39
    for n = 0..99
        for c = 0..2
            x[m,n,c] = mod(m*7 + n*13 + c*50 + m*n, 251)
        endfor
    endfor
endfor
for n = 0..2999
    for c = 0..1
        p[n,c] = mod(n*n + c*n*7, 1009)
    endfor
endfor
for t = 1..2
    h = of_colours(x)
    [g, last] = of_differences(x, [-1, 0, 1])
    [g4, last4] = of_differences(x, [1, -2, 0, 1])
    q = of_pairs(p)
    print h[0,0..5], " ", h[2,60..65], " ", sum(h)
    print sum(g), " ", sum(g.*(0..511)), " ", last, " ", sum(g4), " ", sum(g4.*(0..511)), " ", last4
    print q[0,0..5], " ", q[1,58..63], " ", sum(q)
endfor
% out: [21, 20, 16, 16, 13, 14] [10, 18, 14, 12, 10, 16] 12000
% out: 11640 2966049 103 19206 4894482 103
% out: [78, 35, 36, 42, 45, 42] [36, 36, 35, 36, 48, 54] 6000
% out: [21, 20, 16, 16, 13, 14] [10, 18, 14, 12, 10, 16] 12000
% out: 11640 2966049 103 19206 4894482 103
% out: [78, 35, 36, 42, 45, 42] [36, 36, 35, 36, 48, 54] 6000

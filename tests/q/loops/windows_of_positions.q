% Windows around a position, written from one end to the other: the same for all items, wherever they are.
function y = sums(x, r)
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
function [] = __kernel__ behind(x : vec, y : vec, r : int, pos : int)
    s = 0.0
    for k = pos-2*r..pos-1
        s += x[k]
    endfor
    y[pos] = s
endfunction
function [] = __kernel__ around(x : mat'circular, y : mat, r : int, pos : ivec2)
    most = -1.0
    for k = pos[0]-r..pos[0]+r
        for l = pos[1]-r+1..pos[1]+r+1
            most = max(most, x[k,l])
        endfor
    endfor
    y[pos] = most
endfunction
x = zeros(21, 37)
for m = 0..20
    for n = 0..36
        x[m,n] = mod(5*m*n + 3*m + n, 17)
    endfor
endfor
for r = 0..3
    y = sums(x, r)
    w = zeros(21*37)
    v = zeros(size(x))
    parallel_do(numel(w), reshape(x, 1, 21*37), w, r, behind)
    parallel_do(size(v), x, v, r, around)
    printf("%g %g %g %g %g\n", sum(y), y[20,36], sum(w), w[5], sum(v))  % out: 6361 7 0 0 6361
         % out: 54579 26 12700 7 11602
         % out: 145781 68 25364 10 12302
         % out: 274790 123 37984 10 12427
endfor

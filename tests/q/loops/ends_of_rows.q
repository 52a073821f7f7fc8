% Rows one after the other, whose first and last elements have neighbours that are not there: only the ends of a row ask for them.
function d : mat = widest(c : mat)
    d = copy(c)
    {!serial for}
    for m = 1..size(c,0)-1
        for n = 0..size(c,1)-1
            best = d[m-1,n]
            if n > 1
                best = max(best, d[m-1,n-2] - 1)
            endif
            if n < size(c,1)-3
                best = max(best, d[m-1,n+3] - 2)
            endif
            d[m,n] = c[m,n] + best
        endfor
    endfor
endfunction
function d : mat[int] = paths(r : int, w : int)
    d = mat[int](r, w)
    d[0,:] = 1
    {!serial for}
    for m = 1..r-1
        for n = 0..w-1
            left = n > 0 ? d[m-1,n-1] : 3
            right = n + 1 < w ? d[m-1,n+1] : -n
            d[m,n] = mod(left + right + 2*d[m-1,n], 1009)
        endfor
    endfor
endfunction
function y : vec = decays(x : vec, t : int)
    y = copy(x)
    {!serial for}
    for k = 1..t
        z = copy(y)
        for n = 0..numel(x)-1
            if n >= 16 && n < numel(x)-1
                y[n] = 0.5*(z[n-16] + z[n+1])
            else
                y[n] = z[n]*0.5
            endif
        endfor
    endfor
endfunction
for w = [129, 176, 300, 512]
    d = widest(mod(reshape(0..9*w-1, [9, w])*37, 71))
    p = paths(7, w)
    y = decays(mod((0..w-1)*64, 1024), 4)
    print w, ": ", sum(d[8,:] .* mod(0..w-1, 9)), " ", d[8,0], " ", d[8,w-1], " ", sum(p[6,:] .* mod(0..w-1, 9)), " ", p[6,0], " ", p[6,w-1], " ", sum(y .* mod(0..w-1, 5)), " ", y[w-1], " ", y[20]
endfor
% out: 129: 229246 472 424 44433 286 844 92488 0 120
% out: 176: 335432 489 440 56013 286 713 137756 60 120
% out: 300: 529563 456 401 84791 286 625 254948 44 120
% out: 512: 1003338 481 427 134920 286 442 460900 60 120

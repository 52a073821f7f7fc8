% Two arrays into which a loop counts while it reads a row: both read ahead.
function [] = both(n, m)
    z = mod((0..m+1).*3, 5)
    u = vec[int](2*n+1)
    h = vec[int](9)
    r = zeros(n, m)
    for i = 0..n-1
        for k = 0..m-1
            u[2*i+1] += 3
            h[mod(k,9)] += 2
            r[i,k] = mod(z[k+1], 4)
        endfor
    endfor
    print sum(u), " ", h, " ", sum(r[:])
endfunction
function [] = weighted(n, m)
    z = mod((0..m+1).*3, 5)
    a = vec[int](7)
    b = vec[int](9)
    c = vec[int](11)
    for i = 0..n-1
        for k = 0..m-1
            a[int(z[k+1])] += 1
            b[int(z[k])] += i
            c[mod(k,11)] += 1
        endfor
    endfor
    print a, b, c
endfunction
both(4, 7)
both(3, 100)
both(40, 1000)
weighted(4, 7)
weighted(50, 501)
% out: 84 [8, 8, 8, 8, 8, 8, 8, 0, 0] 40
% out: 900 [72, 66, 66, 66, 66, 66, 66, 66, 66] 360
% out: 120000 [8960, 8880, 8880, 8880, 8880, 8880, 8880, 8880, 8880] 48000
% out: [4, 8, 4, 8, 4, 0, 0][12, 6, 6, 12, 6, 0, 0, 0, 0][4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0]
% out: [5000, 5000, 5000, 5050, 5000, 0, 0][123725, 122500, 122500, 122500, 122500, 0, 0, 0, 0][2300, 2300, 2300, 2300, 2300, 2300, 2250, 2250, 2250, 2250, 2250]

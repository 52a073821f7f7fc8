% Borders of images of bytes and of 16 bits: clamped rows of them are permuted, at one end or both, in images of few and many vectors.
function y : mat[uint8] = dilate(x : mat[uint8]'clamped)
    y = mat[uint8](size(x,0), size(x,1))
    for m = 0..size(x,0)-1     % par: parallel over (m, n)
        for n = 0..size(x,1)-1
            v = 0
            for k = -1..1
                for l = -1..1
                    v = max(v, x[m+k,n+l])
                endfor
            endfor
            y[m,n] = v
        endfor
    endfor
endfunction
function y : mat[int] = slope(x : mat[int16]'clamped)
    y = mat[int](size(x,0), size(x,1))
    for m = 0..size(x,0)-1     % par: parallel over (m, n)
        for n = 0..size(x,1)-1
            y[m,n] = 3*x[m,n+5] - x[m,n-7] - 2*x[m-1,n]
        endfor
    endfor
endfunction
function y : vec[int] = ahead(x : vec[int8]'clamped)
    y = vec[int](numel(x))
    for n = 0..numel(x)-1     % par: parallel over (n)
        y[n] = x[n+20] + 2*x[n-1]
    endfor
endfunction
for w = [16, 17, 40, 64, 131]
    a = uint8(mod(reshape(0..9*w-1, [9, w])*83, 251))
    b = int16(mod(reshape(0..9*w-1, [9, w])*771, 20011) - 10000)
    c = int8(mod((0..w-1)*29, 255) - 127)
    y = dilate(a)
    z = slope(b)
    t = ahead(c)
    print w, ": ", sum(int(y[:]) .* mod(0..9*w-1, 13)), " ", y[0,0], " ", y[8,w-1], " ", sum(z[:] .* mod(0..9*w-1, 7)), " ", z[0,0], " ", z[8,w-1], " ", sum(t .* mod(0..w-1, 5)), " ", t[w-1]
endfor
% out: 16: 194956 156 250 652303 11565 -9953 1050 101
% out: 17: 207651 239 234 1460484 11565 31611 2108 188
% out: 40: 503466 140 179 1027643 11565 27055 -1925 -106
% out: 64: 789811 124 245 589059 11565 -35992 -4791 -313
% out: 131: 1521137 163 223 864961 11565 7289 1845 161

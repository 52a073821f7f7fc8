% Smooths an image with 15 weights along each axis.
function y : mat = gauss(x : mat'clamped, g : vec(15))
    t : mat'clamped = uninit(size(x))
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = 0..14
                s += g[k] * x[m+k-7,n]
            endfor
            t[m,n] = s
        endfor
    endfor
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = 0..14
                s += g[k] * t[m,n+k-7]
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

y = gauss(ones(20,20), ones(15)/15)
print y[0,0], " ", y[10,10]

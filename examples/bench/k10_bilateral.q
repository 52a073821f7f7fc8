% Smooths an image but for its edges: weights fall with the distance and with the difference.
function y : mat = bilateral(x : mat'clamped, ss : scalar, sr : scalar)
    y = uninit(size(x))
    ds = -1/(2*ss^2)
    dr = -1/(2*sr^2)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            c = x[m,n]
            num = 0.0
            den = 0.0
            for k = -2..2
                for l = -2..2
                    v = x[m+k,n+l]
                    w = exp(ds*(k*k+l*l) + dr*(v-c)*(v-c))
                    num += w*v
                    den += w
                endfor
            endfor
            y[m,n] = num / den
        endfor
    endfor
endfunction

x = ones(9,9)
x[4,4] = 3
y = bilateral(x, 2, 0.5)
print y[0,0], " ", y[4,4] > 2.9

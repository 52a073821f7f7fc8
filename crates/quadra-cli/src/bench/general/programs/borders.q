% Images whose surroundings follow from an access mode.
function y : mat = blur_mirror(x : mat'mirror)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = -2..2
                for l = -2..2
                    s += x[m+k,n+l]
                endfor
            endfor
            y[m,n] = s*0.04
        endfor
    endfor
endfunction

function y : mat = gradient_clamped(x : mat'clamped)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h = x[m-1,n+1] + 2*x[m,n+1] + x[m+1,n+1] - x[m-1,n-1] - 2*x[m,n-1] - x[m+1,n-1]
            v = x[m+1,n-1] + 2*x[m+1,n] + x[m+1,n+1] - x[m-1,n-1] - 2*x[m-1,n] - x[m-1,n+1]
            y[m,n] = sqrt(h*h + v*v)
        endfor
    endfor
endfunction

function y : mat = laplace_circular(x : mat'circular)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m-1,n] + x[m+1,n] + x[m,n-1] + x[m,n+1] - 4*x[m,n]
        endfor
    endfor
endfunction

function y : vec = lift_mirror(x : vec'mirror)
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        y[i] = x[i] - 0.5*(x[i-1] + x[i+1]) + 0.125*(x[i-3] + x[i+3])
    endfor
endfunction

function y : mat = local_contrast(x : mat, t : scalar)
    y = zeros(size(x))
    for m = 1..size(x,0)-2
        for n = 1..size(x,1)-2
            if x[m,n] > t
                y[m,n] = x[m,n] - 0.25*(x[m-1,n] + x[m+1,n] + x[m,n-1] + x[m,n+1])
            else
                y[m,n] = x[m,n]*0.5
            endif
        endfor
    endfor
endfunction

function y : mat = window(x : mat'safe, r : int)
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

% Two sums of vectors, in place.
function [] = saxpy(a : scalar, x : vec, y : vec)
    for i = 0..numel(x)-1
        y[i] += a * x[i]
    endfor
endfunction

function [] = triad(a : vec, b : vec, c : vec, s : scalar)
    for i = 0..numel(a)-1
        a[i] = b[i] + s * c[i]
    endfor
endfunction

x = ones(10)
y = 2*ones(10)
saxpy(3, x, y)
triad(x, x, y, 2)
print y[3], " ", x[9]

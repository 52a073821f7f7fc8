% Mixes every pixel with a warm colour.
function y : cube = temperature(x : cube, hot : vec(3), t : scalar)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n,0..2] = lerp(x[m,n,0..2], hot, t)
        endfor
    endfor
endfunction

y = temperature(ones(4,5,3), [1.0,0.2,0.0], 0.25)
print y[3,4,0..2]

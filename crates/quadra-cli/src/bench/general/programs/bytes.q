% Bytes, integers of 16 bits and half floats.
function y : mat[uint8] = gray(x : cube[uint8])
    y = mat[uint8](size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = shr(77*x[m,n,0] + 150*x[m,n,1] + 29*x[m,n,2], 8)
        endfor
    endfor
endfunction

function c : vec[uint8] = add_saturated(a : vec[uint8], b : vec[uint8])
    c = vec[uint8](numel(a))
    for i = 0..numel(a)-1
        c[i] = min(a[i] + b[i], 255)
    endfor
endfunction

function y : vec[uint8] = negative(x : vec[uint8])
    y = vec[uint8](numel(x))
    for i = 0..numel(x)-1
        y[i] = 255 - x[i]
    endfor
endfunction

function c : vec[uint8] = blend(a : vec[uint8], b : vec[uint8], alpha : int)
    c = vec[uint8](numel(a))
    for i = 0..numel(a)-1
        c[i] = shr(a[i]*alpha + b[i]*(256-alpha), 8)
    endfor
endfunction

function y : vec[uint8] = threshold(x : vec[uint8], t : int)
    y = vec[uint8](numel(x))
    for i = 0..numel(x)-1
        if x[i] > t
            y[i] = 255
        else
            y[i] = 0
        endif
    endfor
endfunction

function y : vec[int16] = mix16(a : vec[int16], b : vec[int16])
    y = vec[int16](numel(a))
    for i = 0..numel(a)-1
        y[i] = shr(a[i] + b[i], 1)
    endfor
endfunction

% What meets a condition moves together.
function [y : vec, n : int] = positives(x : vec)
    y = zeros(numel(x))
    n = 0
    for i = 0..numel(x)-1
        if x[i] > 0.5
            y[n] = x[i]
            n += 1
        endif
    endfor
endfunction

function [at : vec[int], n : int] = positions(x : vec)
    at = vec[int](numel(x))
    n = 0
    for i = 0..numel(x)-1
        if x[i] > 0.9
            at[n] = i
            n += 1
        endif
    endfor
endfunction

function y : vec = masked(x : vec)
    y = x[x > 0.5]
endfunction

function [low : vec, high : vec] = halves(x : vec)
    low = zeros(numel(x))
    high = zeros(numel(x))
    n = 0
    m = 0
    for i = 0..numel(x)-1
        if x[i] < 0.5
            low[n] = x[i]
            n += 1
        else
            high[m] = x[i]
            m += 1
        endif
    endfor
endfunction

function [starts : vec[int], n : int] = runs(x : vec[int])
    starts = vec[int](numel(x))
    starts[0] = 0
    n = 1
    for i = 1..numel(x)-1
        if x[i] != x[i-1]
            starts[n] = i
            n += 1
        endif
    endfor
endfunction

% The sum of all elements.
function s : scalar = total(x : vec)
    s = 0.0
    for i = 0..numel(x)-1
        s += x[i]
    endfor
endfunction

print total(ones(1000))

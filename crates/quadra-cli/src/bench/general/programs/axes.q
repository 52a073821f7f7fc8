% Reductions of whole arrays along an axis.
function y : mat = column_sums(x : mat)
    y = sum(x, 0)
endfunction

function y : mat = row_sums(x : mat)
    y = sum(x, 1)
endfunction

function y : mat = row_minima(x : mat)
    y = min(x, [], 1)
endfunction

function y : mat = centred(x : mat)
    y = x - mean(x, 0)
endfunction

function y : scalar = distance(a : mat, b : mat)
    y = max(abs(a - b))
endfunction

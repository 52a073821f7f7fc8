% A product of matrices.
function c : mat = product(a : mat, b : mat)
    c = a * b
endfunction

print product([[1,2],[3,4]], [[5,6],[7,8]])

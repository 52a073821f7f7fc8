% Counts and sums at places that the data say.
function h : vec[int] = counts16(x : vec[int])
    h = vec[int](65536)
    for i = 0..numel(x)-1
        h[x[i]] += 1
    endfor
endfunction

function h : vec = weighted(x : vec[int], w : vec)
    h = zeros(256)
    for i = 0..numel(x)-1
        h[x[i]] += w[i]
    endfor
endfunction

function h : mat[int] = joint(a : vec[uint8], b : vec[uint8])
    h = mat[int](256, 256)
    for i = 0..numel(a)-1
        h[a[i],b[i]] += 1
    endfor
endfunction

function [sums : mat, n : vec[int]] = clusters(x : mat, label : vec[int])
    sums = zeros(1000, 2)
    n = vec[int](1000)
    for i = 0..size(x,0)-1
        sums[label[i],0] += x[i,0]
        sums[label[i],1] += x[i,1]
        n[label[i]] += 1
    endfor
endfunction

% How often values occur: bytes, and numbers between 0 and 1.
function h : vec[int] = histogram(v : vec[uint8])
    h = vec[int](256)
    for i = 0..numel(v)-1
        h[v[i]] += 1
    endfor
endfunction

function h : vec[int] = histogram_of_floats(v : vec)
    h = vec[int](256)
    for i = 0..numel(v)-1
        h[int(v[i]*256)] += 1
    endfor
endfunction

h = histogram(cast([1,2,2,3,3,3], vec[uint8]))
print h[0..4]
h = histogram_of_floats([0.1, 0.5, 0.5, 0.9])
print h[128], " ", sum(h)

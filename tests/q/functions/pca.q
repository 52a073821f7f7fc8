% As NumPy gives by the singular values of the centred rows.
x = [[1,2],[2,4.1],[3,5.9],[4,8.5]]
[d, s, v] = pca(x)
print round(d .* 10000), round(v .* 10000)
print round(s[0,:] .* 10000)
% out: [[4234, 9059],
% out:  [9059, -4234]][[92618],
% out:  [74]]
% out: [-34662, -357]

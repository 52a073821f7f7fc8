% Sums at places that the data say, several of them for an item.
function [s : mat, t : vec, n : vec[int]] = classes(x : mat, label : vec[int])
    s = zeros(50, 3)
    t = zeros(50)
    n = vec[int](50)
    for i = 0..size(x,0)-1
        s[label[i],0] += x[i,0]
        s[label[i],2] += x[i,1]
        t[label[i]] += x[i,0]
        n[label[i]] += 1
    endfor
endfunction
% Bins that lie the other way round, and one in two of which get a number.
function h : vec = backwards(x : vec[int], w : vec)
    h = zeros(128)
    for i = 0..numel(x)-1
        h[127-x[i]] += w[i]
    endfor
endfunction
% Weights that are computed, and under a condition.
function [h : vec, g : vec] = chosen(x : vec[int], w : vec)
    h = zeros(256)
    g = zeros(256)
    for i = 0..numel(x)-1
        h[x[i]] += 2*w[i]
        if w[i] > 1
            g[x[i]] += w[i]
        endif
    endfor
endfunction
n = 100000
label = int(mod((0..n-1)*7, 50))
x = reshape(mod(0..2*n-1, 8)/4, n, 2)
[s, t, k] = classes(x, label)
print sum(sum(s)), " ", s[3,0], " ", s[3,1], " ", s[3,2], " ", t[49], " ", sum(t), " ", k[7], " ", sum(k)  % out: 175000 2000 0 2500 2000 75000 2000 100000
w = mod((0..n-1)*3, 8)/2
h = backwards(label, w)
print sum(h), " ", h[0], " ", h[78], " ", h[127]  % out: 175000 0 4000 3000
[h, g] = chosen(label, w)
print sum(h), " ", h[0], " ", h[49], " ", sum(g), " ", g[11]  % out: 350000 6000 8000 156250 3750
wrong = copy(label)
wrong[n-1] = 50
try
    [s, t, k] = classes(x, wrong)
catch e
    print e.message  % out: index 50 is out of bounds (0..49) in 's'
endtry

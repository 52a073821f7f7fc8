% More bins than one word has bits for, more than registers hold, and sums of numbers of both signs into all of them.
function [] = count(n, bins)
    x = int(mod((0..n-1)*37, bins))
    w = mod((0..n-1)*13, 7) - 3
    h = mod(0..bins-1, 3)
    for i=0..n-1
        h[x[i]] += w[i]
    endfor
    g = vec[int](bins)
    for i=0..n-1
        if w[i] > 0
            g[bins - 1 - x[i]] -= int(w[i])
        endif
    endfor
    print bins, ": ", sum(h .* mod(0..bins-1, 11)), " ", h[bins-3..bins-1], " ", sum(g .* mod(0..bins-1, 11)), " ", g[0..2]
endfunction
for bins = [416, 417, 432, 450, 511, 512, 513, 1000]
    count(4000, bins)
endfor
% out: 416: 2082 [5, -3, -1] -17107 [-7, -6, -9]
% out: 417: 2174 [-2, 5, 1] -17148 [-7, -11, -7]
% out: 432: 2248 [-3, -2, -1] -17050 [-7, -7, -7]
% out: 450: 2246 [-1, 1, 3] -17152 [-9, -7, -8]
% out: 511: 2483 [17, -14, 8] -17004 [-8, 0, -16]
% out: 512: 2537 [2, -1, -1] -17060 [-6, -6, -6]
% out: 513: 2583 [1, -1, 2] -17096 [-6, -6, -7]
% out: 1000: 4976 [7, 4, -2] -17152 [-1, -3, -6]

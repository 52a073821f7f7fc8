% Workers that keep ranges of an array in registers while all look at all items: sums and counts side by side under a condition, arrays
% of different lengths that end within a row, pairs of numbers, and what is taken off, in kernels and in loops.
function [] = __kernel__ weigh(x : vec[int], w : vec, s : vec, c : vec[int], pos : int)
    if w[pos] > 0
        s[x[pos]] += w[pos]
        c[int(x[pos]/3)] -= 2
    endif
endfunction
function [] = __kernel__ pairs(a : mat, b : mat, joint : mat, pos : ivec2)
    joint[int(a[pos]), int(b[pos])] += 1
endfunction
function [] = __kernel__ flags(x : vec[int], y : vec[int], pos : int)
    y[x[pos]] |= pos
endfunction
n = 6000
x = int(mod((0..n-1)*37, 1531))
w = mod((0..n-1)*13, 7) - 3
s = mod(0..1530, 4)
c = ones(511)
ci = int(c)
parallel_do(n, x, w, s, ci, weigh)
print [sum(s), sum(s .* mod(0..1530, 11)), s[0], s[1530]], " ", [sum(ci), sum(ci .* mod(0..510, 11)), ci[0], ci[510]]
a = reshape(mod((0..n-1)*7, 61), [75, 80])
b = reshape(mod((0..n-1)*11, 47), [75, 80])
joint = zeros(61, 47)
parallel_do([75, 80], a, b, joint, pairs)
print [sum(sum(joint)), max(max(joint)), joint[60, 46], joint[7, 11]]
y = vec[int](900)
parallel_do(n, int(mod((0..n-1)*5, 900)), y, flags)
print [sum(y), y[0], y[5], y[1]]
h = zeros(1700)
g = vec[int](1699)
for i = 0..n-1     % par: parallel over (i), accumulates into g, accumulates into h
    h[x[i]] += w[i]
    g[1698 - x[i]] -= 1
endfor
print [sum(h .* mod(0..1699, 11)), h[1530], sum(g .* mod(0..1698, 11)), g[1698], g[0]]
% out: [7437, 37133, 4, 5] [-4631, -22988, -11, -3]
% out: [6000, 3, 2, 3]
% out: [1474110, 8188, 8189, 0]
% out: [-26, -1, -29992, -4, 0]

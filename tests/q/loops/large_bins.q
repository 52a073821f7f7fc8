% Sums into arrays so large that a copy for each lane would not stay near the processor: the items of a group add to one copy. All
% numbers are whole or halves, so that every order of additions gives the same sum.
n = 4096
k = 700
s = zeros(k)
c = zeros(k)
w = zeros(k)
for i = 0..n-1     % par: parallel over (i), accumulates into c, accumulates into s, accumulates into w
    b = mod(i*7919, k)
    s[b] += i
    c[b] += 1
    if mod(i, 3) == 0
        w[b] += 0.5
    endif
endfor
print [sum(s), sum(c), sum(w), s[13], c[13], w[13], s[k-1]]        % out: [8386560, 4096, 683, 11862, 6, 1, 13626]
% Rows of a matrix, two loops, several lanes that meet in one element.
sums = zeros(300, 3)
for i = 0..39     % par: parallel over (i, j), accumulates into sums
    for j = 0..23
        r = mod(i*24 + j, 7)*40 + mod(i, 3)
        sums[r, 0] += mod(i*j, 17)
        sums[r, 2] += 1
    endfor
endfor
print [sum(sum(sums)), sums[0, 0], sums[41, 2], sums[240, 0], max(sums[:, 2])]        % out: [7837, 369, 44, 315, 48]
% Integers, under a condition.
d = vec[int](3000)
for i = 0..5999     % par: parallel over (i), accumulates into d
    if mod(i, 5) < 3
        d[mod(i*i, 3000)] -= mod(i, 11)
    endif
endfor
print [sum(d), d[0], d[1], d[4], d[2500]]        % out: [-17988, -97, -71, -40, -210]

% Histograms of several kinds: on QPUs each group counts in an array of its own, as far as there is room for one.
x = mod((0..4999).*31, 97)
h = zeros(97)
for i = 0..4999     % par: parallel over (i), accumulates into h
    h[x[i]] += 0.5
endfor
print [h[0], h[50], h[96], sum(h)]        % out: [26, 26, 26, 2500]
% Two arrays at once, one of integers, in rows; outside nothing is counted.
a = zeros(5,7)
c = vec[int](300)
for m = 0..39     % par: parallel over (m, n), accumulates into a, accumulates into c
    for n = 0..99
        a[mod(m,5),mod(n,7)] += 1
        if n < 90
            c[299 - n - m] -= 2
        endif
    endfor
endfor
print [a[0,0], a[4,6], sum(sum(a)), c[239], c[299], sum(c)]        % out: [120, 112, 4000, -80, -2, -7200]
% More than fit the registers of a group, and weights that differ.
w = zeros(500)
v = zeros(900)
for i = 0..1999     % par: parallel over (i), accumulates into v, accumulates into w
    w[mod(i*13, 500)] += x[i]
    v[mod(i, 900)] += 1
endfor
print [w[0], w[499], sum(w), v[0], v[899]]        % out: [171, 243, 96095, 3, 2]
% What is added may be too large for an array of the group.
k = vec[int](3)
for i = 0..999     % par: parallel over (i), accumulates into k
    k[mod(i, 3)] += i
endfor
print k        % out: [166833, 166167, 166500]

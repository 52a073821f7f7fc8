% Small arrays of an item: elements that loops choose by their counters cost nothing, those that data chooses are compared.
function [] = __kernel__ median9(x : mat'clamped, y : mat'unchecked, pos : ivec2)
    v = zeros(9)
    for i=-1..1
        for j=-1..1
            v[3*(i+1)+j+1] = x[pos+[i,j]]
        endfor
    endfor
    for i=0..4
        for j=i+1..8
            if v[j] < v[i]
                t = v[i]
                v[i] = v[j]
                v[j] = t
            endif
        endfor
    endfor
    y[pos] = v[4]
endfunction
x = zeros(12,37)
for m=0..11
    for n=0..36
        x[m,n] = mod(m*m*31 + n*17 + m*n, 101)
    endfor
endfor
y = zeros(size(x))
parallel_do(size(x), x, y, median9)
print y[0,0..5], " ", y[7,30..36], " ", sum(y)   % out: [17, 31, 49, 51, 68, 38] [41, 34, 57, 57, 36, 31, 36] 22226
% Insertion, where how far depends on the data, and counts per value.
function [] = __kernel__ ranks(x : vec, y : vec, h : vec, pos : int)
    v = zeros(5)
    c = zeros(4)
    for k=0..4
        e = x[mod(pos*7+k*3, numel(x))]
        c[mod(int(e), 4)] += 1
        j = k
        while j > 0 && v[j-1] > e
            v[j] = v[j-1]
            j -= 1
        endwhile
        v[j] = e
    endfor
    y[pos] = v[0] + 10*v[2] + 100*v[4]
    h[pos] = c[0] + 10*c[1] + 100*c[2] + 1000*c[3]
endfunction
s = x[3,:]
r = zeros(37)
h = zeros(37)
parallel_do(37, s, r, h, ranks)
print r[0..5], " ", h[30..36], " ", sum(r), " ", sum(h)   % out: [10164, 9945, 9753, 9831, 9631, 10415] [2111, 1211, 2102, 1220, 1112, 1202, 1202] 367738 55400
% A triangle of products, and the other way round.
t = zeros(40)
for n=0..39
    v = [0.,0.,0.,0.]
    for i=0..3
        v[i] = x[2,mod(n+i,37)]
    endfor
    s2 = 0.0
    for i=3..-1..1
        for j=0..i-1
            s2 += v[i]*v[j] - v[3-j]
        endfor
    endfor
    t[n] = s2
endfor
print t[0..3], " ", sum(t)   % out: [14607, 28401, 22590, 17778] 600989

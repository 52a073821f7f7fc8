% Parallel loops run as kernels on a device, with the result of the serial loop.
function y = box(x, k)
    y = zeros(size(x))
    for m = 0..size(x,0)-1  % par: parallel over (m, n)
        for n = 0..size(x,1)-1
            sum_ = 0.0
            for i = -k..k
                for j = -k..k
                    sum_ += x[m+i,n+j]
                endfor
            endfor
            y[m,n] = sum_ / (2*k+1)^2
        endfor
    endfor
endfunction
x = [[1,2,3],[4,5,6],[7,8,9]]
print box(x, 1)*9  % out: [[12, 21, 16],
         % out:  [27, 45, 33],
         % out:  [24, 39, 28]]
s = 0
t = 1.0
most = -1000.0
count = 0
for i = 0..8  % par: parallel over (i), reduction(*) on t, reduction(+) on count, reduction(+) on s, reduction(>) on most
    v = x[mod(i,3),i/3] * 2
    s = s + v
    t *= 1 + v/10
    most = max(most, v - i)
    if v > 6
        count += 1
    endif
endfor
print s, " ", count, " ", most, " ", sprintf("%.3f", t)  % out: 90 6 12 371.961
print i, " ", v  % out: 8 18
h = vec[int](4)
for i = 0..99  % par: parallel over (i), accumulates into h
    h[mod(i*i, 4)] += 1
endfor
print h  % out: [50, 50, 0, 0]
q = zeros(6)
for i = 5..-1..0  % par: parallel over (i)
    if i == 2
        continue
    endif
    w = [i, 2*i, 1]
    w[1] -= 1
    q[i] = sum(w) + w[mod(i,3)]
endfor
print q  % out: [0, 4, 0, 12, 19, 16]
c = 2147483000
for i = 0..99  % par: parallel over (i), reduction(+) on c
    c += i  % error[Q0327]: integer overflow in
endfor

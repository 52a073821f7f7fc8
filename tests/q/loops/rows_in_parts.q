% Sums within an iteration may be put together in parts; of numbers whose sums are exact nothing is to be seen of it.
function y = spread(x)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        s = 0.0
        q = 0.0
        for n = 0..size(x,1)-1
            s += x[m,n]
            q += x[m,n]^2
        endfor
        y[m] = q*size(x,1) - s^2
    endfor
endfunction
function y = likeness(a, b)
    y = zeros(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[j,k]
            endfor
            y[i,j] = s
        endfor
    endfor
endfunction
function y = powers_of_two(x)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        p = 1.0
        least = 1e9
        for n = 0..size(x,1)-1
            p *= x[m,n] > 4 ? 2 : 0.5
            least = min(least, x[m,n])
        endfor
        y[m] = p + least
    endfor
endfunction
x = zeros(40, 203)
for m = 0..39
    for n = 0..202
        x[m,n] = mod(m*n + 3*n, 11)
    endfor
endfor
s = spread(x)
print s[0..3], " ", sum(s)  % out: [414490, 412244, 415532, 413024] 15312822
c = likeness(x[0..19,:], x[20..39,:])
print c[0,0..3], " ", sum(c)  % out: [5788, 5240, 7057, 5024] 1901810
p = powers_of_two(x[:,0..99])
print p[0..3]  % out: [256, 256, 256, 256]
% In the order as written, if the program asks.
r = zeros(40)
for m = 0..39
    t = 0.0
    {!serial for}
    for n = 0..202
        t += x[m,n]*0.1
    endfor
    r[m] = t
endfor
{!serial for}
for m = 0..39
    t = 0.0
    for n = 0..202
        t += x[m,n]*0.1
    endfor
    r[m] = r[m] - t
endfor
print max(abs(r)) < 1e-3  % out: 1

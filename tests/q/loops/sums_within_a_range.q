% Sums of 64 bits: that they do not wrap follows from the range that they are kept in.
import "inttypes.q"
function s : int64 = dot(a : vec[int64], b : vec[int64])
    s : int64 = 0
    for i = 0..numel(a)-1
        s += a[i]*b[i]
    endfor
endfunction
function s : int64 = total(a : vec[int64])
    s : int64 = 5
    for i = 0..numel(a)-1
        s += a[i]
    endfor
endfunction
function s : int64 = differences(a : mat[int64])
    s : int64 = 0
    for m = 0..size(a,0)-1
        for n = 0..size(a,1)-2
            s -= a[m,n+1] - 3*a[m,n]
        endfor
    endfor
endfunction
n = 100000
a = int64(mod((0..n-1)*7, 1000)) - 500
b = int64(mod((0..n-1)*3, 4096))*100000
print dot(a, b), " ", total(b), " ", differences(reshape(a, 100, 1000))  % out: -10378184000000 20423784000005 -297900
million : int64 = 1000000
large = vec[int64](3)
large[0] = 20*million*million
large[1] = 80*million*million
large[2] = 1000*million*million
for k = 0..2
    c = vec[int64](n)
    for i = 0..n-1
        c[i] = large[k]
    endfor
    try
        print total(c), " ", total(int64(0) - c), " ", dot(c, int64(mod(0..n-1, 2)))
    catch e
        print e.message
    endtry
endfor
% out: 2000000000000000005 -1999999999999999995 1000000000000000000
% out: 8000000000000000005 -7999999999999999995 4000000000000000000
% out: integer overflow in 9223000000000000005 + 1000000000000000
most : int64 = 1000000
most = 9*most*most*most + 223372*most*most + 36854*million + 775807
c = int64(zeros(n))
c[77777] = most
print dot(c, int64(zeros(n)) + 1)  % out: 9223372036854775807
try
    print total(c)
catch e
    print e.message  % out: integer overflow in 5 + 9223372036854775807
endtry
c[5] = -most
print total(c)  % out: 5
% falls back on qpu: the for-loop

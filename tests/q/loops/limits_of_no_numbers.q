% args: --device cpu
% Limits hold for what is no number or infinite, too: the second operand of a maximum, the first of a minimum.
% out: 301409 0 255 0 37
% out: [161, 80, 79, 79, 79, 77, 79, 77, 77, 212]
function y : mat[uint8] = to_bytes(x : mat, a : scalar)
    y = mat[uint8](size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = int(min(max(x[m,n]*a, 0), 255))
        endfor
    endfor
endfunction

function h : vec[int] = bins(x : vec)
    h = vec[int](10)
    for i = 0..numel(x)-1
        h[int(min(max(10*x[i], 0), 9))] += 1
    endfor
endfunction

x = zeros(40, 50)
v = zeros(1000)
for m = 0..39
    for n = 0..49
        x[m,n] = (mod(m*37 + n*11, 150) - 20)/64
    endfor
endfor
for i = 0..999
    v[i] = (mod(i*37, 1300) - 100)/1024
endfor
x[3,4] = NaN
x[5,6] = Inf
x[7,8] = -Inf
v[10] = NaN
v[11] = 3e38
v[12] = -3e38
y = to_bytes(x, 200)
print sum(y[:]), " ", y[3,4], " ", y[5,6], " ", y[7,8], " ", y[39,49]
print bins(v)

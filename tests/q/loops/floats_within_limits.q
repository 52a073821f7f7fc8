% Floats that limits keep apart become integers without a test.
% out: 301491 0 253 84 37
% out: [159, 80, 81, 80, 79, 77, 79, 77, 77, 211]
% out: 522000
% out: 531029 263 299 335 452
% out: 95484 36 139
function y : mat[uint8] = to_bytes(x : mat, a : scalar)
    y = mat[uint8](size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = int(min(max(x[m,n]*a, 0), 255))
        endfor
    endfor
endfunction

function y : vec[int16] = to_halves(x : vec)
    y = vec[int16](numel(x))
    for i = 0..numel(x)-1
        y[i] = int(max(-300.5, min(x[i], 1e4)))
    endfor
endfunction

% Bytes are numbers, and so is what is computed of them.
function y : vec[uint8] = mixed(a : vec[uint8], b : vec[uint8])
    y = vec[uint8](numel(a))
    for i = 0..numel(a)-1
        y[i] = int(0.25*a[i] + 0.5*b[i] + 0.5)
    endfor
endfunction

function h : vec[int] = bins(x : vec)
    h = vec[int](10)
    for i = 0..numel(x)-1
        h[int(min(max(10*x[i], 0), 9))] += 1
    endfor
endfunction

% A comparison that limits decide, and one that they leave open.
function n : int = counted(x : vec)
    n = 0
    for i = 0..numel(x)-1
        v = max(x[i], 0.5)
        if v >= 0.25
            n += 1
        endif
        if v > 0.5
            n += 1000
        endif
    endfor
endfunction

x = zeros(40, 50)
v = zeros(1000)
a = vec[uint8](1000)
b = vec[uint8](1000)
for m = 0..39
    for n = 0..49
        x[m,n] = (mod(m*37 + n*11, 150) - 20)/64
    endfor
endfor
for i = 0..999
    v[i] = (mod(i*37, 1300) - 100)/1024
    a[i] = mod(i*7, 256)
    b[i] = mod(i*11, 256)
endfor
y = to_bytes(x, 200)
print sum(y[:]), " ", y[3,4], " ", y[5,6], " ", y[7,8], " ", y[39,49]
h = bins(v)
print h
print counted(v)
z = to_halves(1000*v)
print sum(z), " ", z[10], " ", z[11], " ", z[12], " ", z[999]
m = mixed(a, b)
print sum(m), " ", m[5], " ", m[999]

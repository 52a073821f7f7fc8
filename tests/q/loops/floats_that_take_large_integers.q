% A float variable takes an integer as it is (4.4), also one that floats of 32 bits do not have; loops do the same on every device.
z = vec[int](64)
for k = 0..63
    z[k] = 3*k
endfor
z[40] = 16777217
z[41] = -20000001
y = vec[int](64)
for i = 0..63
    m = 0.0
    if z[i] > 5
        m = z[i]
    endif
    y[i] = m
endfor
print y[39..42]
% Sums and extremes of such a variable, and one that stays small.
for i = 0..31
    m = 0.5
    m = z[i+32]
    y[i] = m - 16777000
endfor
print y[7..9]
w = zeros(64)
for i = 0..63
    m = 0.25
    if mod(i,2) == 0
        m = mod(z[i],100)
    endif
    w[i] = m
endfor
print sum(w)
A = reshape(z, 8, 8)
u = vec[int](8)
for i = 0..7
    m = -1.0
    for j = 0..7
        if A[i,j] > m
            m = A[i,j]
        endif
    endfor
    u[i] = m
endfor
print u
% out: [117, 16777217, 0, 126]
% out: [-16776883, 217, -36777001]
% out: 1481
% out: [21, 45, 69, 93, 117, 16777217, 165, 189]

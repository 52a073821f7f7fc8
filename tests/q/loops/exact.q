% Subscripts that only exact tests tell apart.
y = zeros(40)
x = mod(0..39, 7)
for i = 0..9       % par: parallel over (i), no two iterations use the same element of y
    y[2*i] = x[i]
    y[2*i+1] = y[2*i] + 1
endfor
print y[0..5]      % out: [0, 1, 1, 2, 2, 3]
for i = 0..9       % par: parallel over (i, j), no two iterations use the same element of y
    for j = 0..3
        y[4*i+j] = i*10 + j
    endfor
endfor
print y[5], " ", y[39]    % out: 11 93
for i = 0..9       % par: parallel over (i, j), no two iterations use the same element of y
    for j = 0..3
        y[i+10*j] = x[i]
    endfor
endfor
print y[12], " ", y[39]   % out: 2 2
w : int = 8
A = zeros(1,40)
for m = 0..4       % par: parallel over (m, n), no two iterations use the same element of A
    for n = 0..w-1
        A[m*w+n] = m + n
    endfor
endfor
print A[0,39]      % out: 11
for i = 0..9       % par: parallel over (i), no two iterations use the same element of y
    y[i] = y[i+10] + y[i+20]
endfor
for i = 0..9       % par: parallel over (i), no two iterations use the same element of y
    y[mod(i*3, 10)] = i
endfor
print y[0..9]      % out: [0, 7, 4, 1, 8, 5, 2, 9, 6, 3]
{!serial for}
for i = 0..9       % par: serial: as the program asks
    y[i] = y[i+9]
endfor

% Conditions tell iterations apart: cells of two colours, and inequalities.
n = 10
u = reshape(mod(7*(0..99), 13), 10, 10)
for i = 1..8       % par: parallel over (i, j), no two iterations use the same element of u
    for j = 1..8
        if mod(i+j,2) == 0
            u[i,j] = u[i-1,j] + u[i+1,j] + u[i,j-1] + u[i,j+1]
        endif
    endfor
endfor
print u[1,1], " ", u[4,6], " ", u[4,5], " ", sum(u)   % out: 22 14 3 1120
for i = 1..8       % par: parallel over (i, j), no two iterations use the same element of u
    for j = 1..8
        if mod(i+j,2) == 0
            continue
        else
            u[i,j] = u[i-1,j] - u[i,j+1]
        endif
    endfor
endfor
print u[1,2], " ", sum(u)    % out: -25 876
for i = 1..8       % par: parallel over (i, j), no two iterations use the same element of u
    for j = 1..8
        if mod(i+j,2) != 0 && j < n
            u[i,j] = u[i-1,j] + u[i,j+1]
        endif
    endfor
endfor
print sum(u)       % out: 2202
for i = 1..8       % par: parallel over (i), no two iterations use the same element of u
    for j = 1+mod(i,2)..2..8
        u[i,j] = 0.25*(u[i-1,j] + u[i+1,j] + u[i,j-1] + u[i,j+1])
    endfor
endfor
print sum(u)       % out: 1580.5
y = 0..39
for i = 0..39      % par: parallel over (i), no two iterations use the same element of y
    if i < 20
        y[i] = y[i+20] + y[39-i]
    endif
endfor
print y[0..3], sum(y)    % out: [59, 59, 59, 59]1770
{!serial for}
for i = 1..39      % par: serial: as the program asks
    y[i] = y[i-1]
endfor
z = 0..39
% The condition is about another k than the subscripts.
k = 3
{!serial for}
for i = 0..9       % par: serial: as the program asks
    if k == 0
        {!serial for}
        for k = 1..2
            z[i] = z[i+k]
        endfor
    endif
endfor
print sum(z)       % out: 780

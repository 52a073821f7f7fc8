% Loops over rows and columns: slices become loops within the kernel.
A = mod(reshape(0..7199, 90, 80)*7, 23) + 1
B = mod(reshape(0..5599, 80, 70)*5, 13)
y = zeros(90)
z = zeros(80)
for i = 0..89       % par: parallel over (i)
    y[i] = mean(A[i,:]) + sum(A[i,0..79]) - max(A[i,:]) * min(A[i,1..78])
endfor
for j = 0..79       % par: parallel over (j)
    z[j] = sum(A[:,j]) / 90
endfor
print y[3], " ", y[89], " ", z[5]   % out: 947.987 949 11.9889
C = zeros(90,70)
D = zeros(90,70)
E = zeros(90,70)
w = mod((0..79)*3, 7)
for i = 0..89       % par: parallel over (i, j)
    for j = 0..69
        C[i,j] = dotprod(A[i,:], B[:,j])
        D[i,j] = sum(A[i,:] .* transpose(B[:,j]))
        E[i,j] = sum(A[i,:] .* w) + norm(B[:,j])
    endfor
endfor
print sum(C), " ", sum(abs(C - D)), " ", sum(abs(C - A*B)), " ", sprintf("%.0f", sum(E)/100)   % out: 36278720 0 0 185473
for i = 0..89       % par: parallel over (i)
    A[i,:] = A[i,:] - min(A[i,:])
    r = A[i,:]
    s = sum(r)
    A[i,:] = 2*r / max(1, numel(r)) + r[i-1]
    A[i,0] = s
    A[i,1..3] = [i, i+1, i+2]
    A[i,4..20] = i
endfor
print sum(A), A[7,0..5], " ", A[0,79], " ", A[89,30]   % out: 213529[886, 7, 8, 9, 7, 7] 0.025 0.05
for i = 1..88       % par: parallel over (i)
    y[i] = sum(A[i-1,i..i+9]) - any(A[i,:] > 100) * 3 + all(A[i,0..i] >= 0)
endfor
print sum(y)   % out: 9424.55
x = mod((0..999)*17, 101)
m = zeros(1000)
for i = 0..999      % par: parallel over (i)
    m[i] = mean(x[i-2..i+2]) + max(x[0..i])
endfor
print m[0], " ", m[500], " ", m[999], " ", sum(m)   % out: 10.2 156.4 139.2 148841
k = 30
for i = 0..999      % par: parallel over (i)
    v = x[i-k..i+k]
    m[i] = sum((v - mean(v)).^2) / numel(v)
endfor
print sprintf("%.3f %.0f", m[50], sum(m)/10)   % out: 815.316 85731
spread = r -> max(r) - min(r)
for i = 0..89       % par: parallel over (i)
    y[i] = spread(A[i,:]) + sum(sqrt(abs(A[i,:])) > 2)
endfor
print sprintf("%.3f", sum(y))   % out: 84118.000
% falls back: the for-loop
% Elements that other places of the slice are set to are for the host.
for i = 0..89       % par: parallel over (i)
    A[i,:] = A[i,79..-1..0]
endfor
print A[3,0], " ", A[3,79]   % out: 15.05 879

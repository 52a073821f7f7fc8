% args: -double
% Operators in a row on long arrays are computed in one pass; the result is that of one after the other.
n = 70000
a = mod(0..n-1, 97)
b = mod(0..n-1, 31) + 0.5
c = mod(0..n-1, 13)
t = a.*b
one = t + c
print all(a.*b + c == one)                    % out: 1
t = 2*a
u = c - t
v = u/4
print all((c - 2*a)/4 == v)                   % out: 1
t = a + 1
u = t.*b
v = max(u - c, 3)
print all(max((a + 1).*b - c, 3) == v)        % out: 1
w = c - (a - b)
t = a - b
print all(w == c - t)                         % out: 1
M = reshape(0..89999, 300, 300)/90000
t = M*M
print max(max(abs(M*M - t))), " ", max(abs((M.*M + M) - (M.^2 + M))) < 1e-6   % out: 0 1
t = a + a
print all((a + a) + (a + a) == 2*t)           % out: 1
a += 1
print a[0..3], " ", a[n-1]                    % out: [1, 2, 3, 4] 63
x = a
y = a.*b + c
x[0] = 5
print a[0], " ", y[1]                         % out: 5 4

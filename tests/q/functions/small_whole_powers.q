% Powers with the exponents 2, 3 and 4 are products where operations are exact, whether the exponent is written, an argument or an element.
function y : vec = written(x : vec)
    y = zeros(numel(x))
    for i = 0..numel(x)-1     % par: parallel over (i)
        y[i] = x[i]^2 + x[i]^3 + x[i]^4
    endfor
endfunction
function y : vec = given(x : vec, p : scalar)
    y = zeros(numel(x))
    for i = 0..numel(x)-1     % par: parallel over (i)
        y[i] = x[i]^p
    endfor
endfunction
function y : vec = of_each(x : vec, p : vec)
    y = zeros(numel(x))
    for i = 0..numel(x)-1     % par: parallel over (i)
        y[i] = x[i]^p[i]
    endfor
endfunction
x = mod((0..99)*37, 64) - 31
y = written(x)
print y[0], " ", y[1], " ", y[99], " ", sum(y - x.^2 - x.^3 - x.^4)
for p = 2..4
    q = given(x, p)
    print p, ": ", max(abs(q - x.^p)) < 1e-5*max(abs(x.^p))
endfor
p = 2.0 + mod(0..99, 3)
z = of_each(x, p)
print max(abs(z - x.^p)) < 1e-5*31^4
t = (0..99)*0.173 - 8.1
s = 0.0
{!serial for}
for i = 0..99
    s += abs(t[i]*t[i]*t[i] - t[i]^3) + abs((t[i]*t[i])*(t[i]*t[i]) - t[i]^4)
endfor
print s
u = given(t, 3)
v = given(t, 4)
print max(abs(u - t.*t.*t)) < 1e-5*10^3, " ", max(abs(v - (t.*t).*(t.*t))) < 1e-5*10^4
% out: 894691 1548 61696 0
% out: 2: 1
% out: 3: 1
% out: 4: 1
% out: 1
% out: 0
% out: 1 1

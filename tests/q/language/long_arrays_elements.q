% Functions of long arrays give what they give for single numbers.
seed(3)
x = 3*randn(70000)
y = 2*rand(70000)+0.1
n = int(floor(2000*rand(70000)))-1000
a = sin(x)
b = exp(x) - log(y)
k = log10(y)
c = y.^x
d = mod(x,0.7)
e = atan2(x,y)
f = round(x) + fix(x)
g = hypot(x,y)
h = 3*n + mod(n,7) - max(n,5)
m = tanh(x) > asin(y/3)
differ = 0
{!serial for}
for i=0..69999
  if a[i] != sin(x[i]) || b[i] != exp(x[i]) - log(y[i]) || k[i] != log10(y[i]) || c[i] != y[i]^x[i] || d[i] != mod(x[i],0.7)
    differ += 1
  endif
  if e[i] != atan2(x[i],y[i]) || f[i] != round(x[i]) + fix(x[i]) || abs(g[i] - hypot(x[i],y[i])) > 1e-6*g[i]
    differ += 1
  endif
  if h[i] != 3*n[i] + mod(n[i],7) - max(n[i],5) || m[i] != (tanh(x[i]) > asin(y[i]/3))
    differ += 1
  endif
endfor
print differ
% Large arguments among others.
x[500] = 1e8
z = cos(x)
print z[500] == cos(1e8), " ", z[499] == cos(x[499])
% out: 0
% out: 1 1

% args: -double --device interp
% As same_functions, in double precision.
n = 200
x = linspace(-30,30,n)
a = zeros(n,8)
b = zeros(n,8)
for i=0..n-1
    a[i,0..7] = [sin(x[i]), cos(x[i]), tan(x[i]), tanh(x[i]), atan(x[i]), exp(x[i]), log(abs(x[i])), abs(x[i])^x[i]]
end
{!serial for}
for i=0..n-1
    b[i,0..7] = [sin(x[i]), cos(x[i]), tan(x[i]), tanh(x[i]), atan(x[i]), exp(x[i]), log(abs(x[i])), abs(x[i])^x[i]]
end
print sum(sum(a != b)), a[3,0]
% out: 00.731925

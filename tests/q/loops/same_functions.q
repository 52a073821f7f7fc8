% args: --device interp
% A loop on a device, a serial one on the host and a built-in function of an array give the same bits.
n = 400
x = linspace(-30,30,n)
p = x.^2 + 0.01
u = x/30
a = zeros(n,16)
b = zeros(n,16)
for i=0..n-1
    a[i,0] = sin(x[i])
    a[i,1] = cos(x[i])
    a[i,2] = tan(x[i])
    a[i,3] = sinh(x[i])
    a[i,4] = cosh(x[i])
    a[i,5] = tanh(x[i])
    a[i,6] = atan(x[i])
    a[i,7] = exp(x[i])
    a[i,8] = log(p[i])
    a[i,9] = log2(p[i])
    a[i,10] = asin(u[i])
    a[i,11] = acos(u[i])
    a[i,12] = atan2(u[i],x[n-1-i])
    a[i,13] = p[i]^u[i]
    a[i,14] = round(x[i])
    a[i,15] = mod(x[i],0.7)
end
{!serial for}
for i=0..n-1
    b[i,0] = sin(x[i])
    b[i,1] = cos(x[i])
    b[i,2] = tan(x[i])
    b[i,3] = sinh(x[i])
    b[i,4] = cosh(x[i])
    b[i,5] = tanh(x[i])
    b[i,6] = atan(x[i])
    b[i,7] = exp(x[i])
    b[i,8] = log(p[i])
    b[i,9] = log2(p[i])
    b[i,10] = asin(u[i])
    b[i,11] = acos(u[i])
    b[i,12] = atan2(u[i],x[n-1-i])
    b[i,13] = p[i]^u[i]
    b[i,14] = round(x[i])
    b[i,15] = mod(x[i],0.7)
end
print sum(sum(a != b)), sum(transpose(a[:,0]) != sin(x)), sum(transpose(a[:,8]) != log(p)), sum(transpose(a[:,13]) != p.^u)
% out: 0000

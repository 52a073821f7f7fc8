% Integer division of whole numbers that are kept as floats is one in kernels, too; what is not whole stays an error of the host's.
n = 60
size = n/4                  % a float, 15
x = zeros(n)
for i = 0..n-1              % par: parallel over (i)
    x[i] = 7*i - 200        % floats
endfor
a = zeros(n)
b = zeros(n)
c = zeros(n)
for i = 0..n-1
    a[i] = idivide(x[i], size)
    b[i] = idivide(x[i], size, "floor")
    c[i] = idivide(i, size, "ceil") + idivide(x[i], -7, "round")
endfor
print a[0..6]               % out: [-13, -12, -12, -11, -11, -11, -10]
print b[0..6]               % out: [-14, -13, -13, -12, -12, -11, -11]
print sum(a), " ", sum(b), " ", sum(c)   % out: 25 -2 116
k = int(zeros(n))
for i = 0..n-1
    k[i] = idivide(x[i], 2^3)
endfor
print k[3], " ", k[59]      % out: -22 26
y = x/2
try
    for i = 0..n-1
        k[i] = idivide(y[i], 3)
    endfor
catch e
    print e                 % out: argument 1 of 'idivide' needs whole numbers, not a 'scalar'
endtry
print k[3]                  % out: -22
z = zeros(3)
try
    for i = 0..2
        z[i] = idivide(x[i], size - 15)
    endfor
catch e
    print e                 % out: idivide by the integer 0
endtry

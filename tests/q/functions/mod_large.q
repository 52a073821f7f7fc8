% Remainders are exact however large the quotient is: as numbers, of arrays, and in parallel loops.
x = (32760..32767)*7919.0
print mod(x,100)                          % out: [32, 52, 72, 92, 12, 32, 52, 72]
print rem(-x,100)                         % out: [-32, -52, -72, -92, -12, -32, -52, -72]
y = zeros(8)
z = zeros(8)
for i=0..7
   y[i] = mod(-x[i], 100)
   z[i] = rem(-x[i], 100)
end
print y                                   % out: [68, 48, 28, 8, 88, 68, 48, 28]
print z                                   % out: [-32, -52, -72, -92, -12, -32, -52, -72]
% Whatever the quotient, the result is a subscript.
t = [1,2,3,4,5,6,7]
s = 0.0
for i=0..99
   s += t[int(mod(x[mod(i,8)] * (i+1) * 1048576, 7))]
end
print s > 0                               % out: 1
print mod(10,-5), " ", mod(-0.0,3), " ", mod(5.5,0), " ", rem(7,-3), " ", rem(-7,3)   % out: 0 0 5.5 1 -1

% Quotients of integers that are rounded at once are exact, though scalar has 24 bits.
x = 16777219
print int(x/2), " ", floor(x/2), " ", ceil(x/2), " ", round(x/2), " ", fix(x/2)   % out: 8388609 8388609 8388610 8388610 8388609
y = 2147483647
print int(y/2), " ", floor(y/2), " ", ceil(y/2), " ", int(floor(-y/2)), " ", int(ceil(-y/2)), " ", int(round(-y/2))
% out: 1073741823 1073741823 1073741824 -1073741824 -1073741823 -1073741824
print mod(y, 1000), " ", mod(-y, 1000)          % out: 647 353
print type(floor(7/2)), " ", type(int(7/2)), " ", floor(7/2)*1000000000           % out: scalar int 3000000000
w = int([1,2,3]*1000001)
print int(w/2), floor(w/2), int(3000003/w)      % out: [500000, 1000001, 1500001][500000, 1000001, 1500001][3, 1, 1]
k = y
k /= 2
print k, " ", floor(7.5/2), " ", int(7.5/2)     % out: 1073741823 3 3
print floor(5/0), " ", floor(-5/0)              % out: Inf -Inf
try
   print int(5/0)
catch ex
   print ex                                     % out: value Inf does not fit in int
endtry
n = 40
a = zeros(n)
b = zeros(n)
c = zeros(n)
d = zeros(n)
for i = 0..n-1                                  % par: parallel over (i)
   q = 2147483600 + i
   a[i] = mod(int(q/3), 1000)
   b[i] = mod(int(floor(-q/7)), 1000)
   c[i] = mod(int(round(q/9)), 1000)
   d[i] = floor(i/3) + 100*ceil(i/4)
endfor
print a[0..4], b[0..4], c[0..6]                 % out: [866, 867, 867, 867, 868][628, 628, 628, 628, 628][289, 289, 289, 289, 289, 289, 290]
print d[0..9]                                   % out: [0, 100, 100, 101, 101, 201, 202, 202, 202, 303]
% A divisor that varies, and one that is 0.
for i = 0..n-1                                  % par: parallel over (i)
   a[i] = int((i*i)/(i+1)) + floor((i-20)/(i+3)) + round(i/(n-i))
endfor
print a[0..8], " ", a[39]                       % out: [-7, -5, -3, -1, 0, 2, 3, 4, 5] 77
function [] = __kernel__ parts(y : vec, n : int, m : int, pos : int)
   y[pos] = floor(pos/m) + int((pos-7)/n)
endfunction
parallel_do(n, a, 4, 3, parts)
print a[0..14]                                  % out: [-1, -1, -1, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 5, 5]
% Variables that go from integers to floats and back.
v = [5, 6, 7]
for i = 0..n-1                                  % par: parallel over (i)
   t = i
   t = t/4
   t = int(t)
   a[i] = v[mod(t,3)] + t
endfor
print a[0..9]                                   % out: [5, 5, 5, 5, 7, 7, 7, 7, 9, 9]
for i = 0..n-1                                  % par: parallel over (i)
   s = 0
   for j = 0..9
      u = i*j
      u = u*0.5
      u = int(u)
      u += 1
      s += v[mod(u,3)]
   endfor
   a[i] = s
endfor
print a[0..5]                                   % out: [60, 62, 60, 65, 60, 59]

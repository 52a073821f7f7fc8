% What loops write outside of arrays is an error, and before it they have written what they have written one after another.
function [] = said(ex)
   print ex, ", line ", ex.line
endfunction
y = zeros(20)
try
   for i = 0..99                    % par: parallel over (i)
      y[i] = i + 1
   endfor
catch ex
   said(ex)                         % out: index 20 is out of bounds (0..19) in 'y', line 8
endtry
print y[0], " ", y[19], " ", sum(y) % out: 1 20 210
% Elements that many iterations add to.
place = [3, 1, 2, 9, 30, 4, 5]
h = zeros(10)
try
   for i = 0..6                     % par: parallel over (i), accumulates into h
      h[place[i]] += 1
   endfor
catch ex
   said(ex)                         % out: index 30 is out of bounds (0..9) in 'h', line 19
endtry
print h                             % out: [0, 1, 1, 1, 0, 0, 0, 0, 0, 1]
% The rows before, and nothing of those behind.
w = ones(4,4)
try
   for m = 0..3                     % par: parallel over (m, n)
      for n = 0..5
         w[m,n] = m*10 + n
      endfor
   endfor
catch ex
   said(ex)                         % out: index 4 is out of bounds (0..3) in 'w', line 30
endtry
print w[0,:], w[1,:]                % out: [0, 1, 2, 3][1, 1, 1, 1]
% Slices are written as a whole or not at all.
u = zeros(5,6)
try
   for i = 0..9                     % par: parallel over (i), no two iterations use the same element of u
      u[i,i..i+2] = [1, 2, 3]
   endfor
catch ex
   said(ex)                         % out: index 6 is out of bounds (0..5) in 'u', line 41
endtry
print sum(u), " ", u[4,:]           % out: 24 [0, 0, 0, 0, 0, 0]
% What comes out of the loop besides is that of the serial loop.
s = 0
q = zeros(50)
try
   for i = 0..99                    % par: in blocks over (i), running(+) on s
      s += i
      q[i] = s
   endfor
catch ex
   said(ex)                         % out: index 50 is out of bounds (0..49) in 'q', line 53
endtry
print s, " ", i, " ", q[49], " ", sum(q)  % out: 1275 50 1225 20825
best = 0
at = -1
r = zeros(8)
try
   for i = 0..11                    % par: parallel over (i), reduction(>) on best with at
      r[i] = 12 - i
      if mod(i*5, 12) > best
         best = mod(i*5, 12)
         at = i
      endif
   endfor
catch ex
   said(ex)                         % out: index 8 is out of bounds (0..7) in 'r', line 64
endtry
print best, " ", at                 % out: 11 7
% Reads give 0 as ever, and who says 'safe loses what lies outside.
v : vec'safe = zeros(4)
for i = -3..6                       % par: parallel over (i)
   v[i] = y[i-1] + 1
endfor
print v                             % out: [1, 2, 3, 4]
% Kernels lose it, too.
function [] = __kernel__ k(x : vec, pos : int)
   x[pos+2] = pos
endfunction
x = zeros(4)
parallel_do(4, x, k)
print x                             % out: [0, 0, 0, 1]
% 'unchecked promises no value: it is an error where it is found, and stays in its array everywhere.
z : vec'unchecked = zeros(6)
try
   for i = 0..9                     % par: parallel over (i)
      z[i] = 1
   endfor
catch ex
   print "found"                    % out: found
endtry
print sum(z)                        % out: 6

% args: --device emu
function y = filled(n)
   y = ones(n)
   y[5] = 0
endfunction
x = filled(64)
y = zeros(64)
for i = 0..63
   y[i] = 1/x[i]              % warning[Q0527]: one of them comes up here
endfor
for i = 0..63
   y[i] = log(x[i])           % warning[Q0527]: one of them comes up here
endfor
for i = 0..63
   y[i] = (x[i]-x[i])/(x[i]*x[5])  % warning[Q0527]: one of them comes up here
endfor
for i = 0..63
   y[i] = isnan(x[i])         % warning[Q0527]: 'isnan' finds none there
endfor
x[7] = nan
s = 0.0
for i = 0..63                 % warning[Q0527]: element 7 of 'x' is NaN
   s += x[i]
endfor
function [] = __kernel__ k(x : vec, y : vec, pos : int)
   if x[pos] > 0
      y[pos] = x[pos] * 1e38 * 1e38   % warning[Q0527]: one of them comes up here
   endif
endfunction
parallel_do(64, filled(64), y, k)
% Roots of numbers that are not negative, and exponentials of small ones, say nothing.
z = zeros(64)
w = filled(64)
for i = 0..63
   z[i] = sqrt(w[i]) + exp(w[i]) + 1/(w[i]+1)
endfor
print z[5] > 0
% out: 1

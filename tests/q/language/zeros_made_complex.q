% Arrays of zeros are complex from the start where complex values are stored in them; all others stay as they are.
% falls back: the for-loop
x = sin(0..7)
function Y = transformed(x)      % each element is a sum of stores
  N = numel(x)
  Y = zeros(size(x))             % warning[Q0131]: 'Y' is made complex, because complex values are stored in it
  for k = 0..N-1
    for n = 0..N-1
      Y[k] += x[n] * exp(-2j*pi*k*n/N)
    endfor
  endfor
endfunction
print max(abs(transformed(x) - fft1(x))) < 1e-4
% out: 1

% A sum that begins as a number.
X = zeros(1,8)                   % warning[Q0131]: 'X' is made complex, because complex values are stored in it
for k = 0..7
  s = 0
  for n = 0..7
    s = s + x[n] * exp(-2j*pi*k*n/8)
  endfor
  X[k] = s
endfor
print max(abs(X - fft1(x))) < 1e-4
% out: 1

% Rows.
A = zeros(2,2)                   % warning[Q0131]: 'A' is made complex, because complex values are stored in it
for i = 0..1
  A[i,:] = [1j*i, 2]
endfor
print A
% out: [[0+0j, 2+0j],
% out:  [0+1j, 2+0j]]

% What is computed from complex values need not be complex.
H = 1j * (1..3)
H = abs(H)
R = zeros(3)
for k = 0..2
  R[k] = H[k] + real(2j)
endfor
print R
% out: [1, 2, 3]

% A store that is made under a condition changes nothing unless it is made.
w = zeros(2)
if R[0] > 100
  w[0] = 1j
endif
print w
% out: [0, 0]

% Variables with a type keep it, and names of the program's own are not the library's.
function y = conj(x)
  y = 3
endfunction
v = zeros(2)
v[0] = conj(1j)
print v
% out: [3, 0]
t : vec = zeros(2)
try
  t[0] = 1j
catch e
  print e
endtry
% out: cannot store a 'cscalar' in 't', whose elements are 'scalar'

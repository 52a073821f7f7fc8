% What variables are that loops combine or read in passing.
x = mod((0..99).*7,11) ./ 2
m = 500
for i = 0..99     % par: parallel over (i), reduction(>) on m
    m = x[i] > m ? x[i] : m
endfor
print m, type(m)        % out: 500int
m = 500
for i = 0..99     % par: parallel over (i), reduction(>) on m
    if x[i] > m
        m = x[i]
    endif
endfor
print m, type(m)        % out: 500int
m = 500
for i = 0..99     % par: parallel over (i), reduction(>) on m
    m = max(m, x[i])
endfor
print m, type(m)        % out: 500scalar
% Each step has to fit.
s : uint8'sat = 250
for i = 0..9      % par: parallel over (i), reduction(+) on s
    s += i - 5
endfor
print s                 % out: 245
% The size is that of the array of the iteration before.
t = [1]
y = zeros(4)
for i = 0..3      % par: serial: there is a dependency between iterations on variable 't'
    y[i] = numel(t)
    t = [1,2]
endfor
print y                 % out: [1, 2, 2, 2]
% An element that is named twice is changed once, and what looks like elements may be a matrix.
h = zeros(4)
k = [1,1]
for i = 0..8      % par: parallel over (i), accumulates into h
    h[k] += 1
endfor
print h                 % out: [0, 9, 0, 0]
h = ones(2,2)
M = [[1,1],[0,1]]
for i = 0..3      % par: parallel over (i), accumulates into h
    h[:,:] *= M
endfor
print h[0,:], h[1,:]    % out: [1, 5][1, 5]
% Several elements at a time.
y = zeros(5)
off = [0,1]
for i = 0..3      % par: parallel over (i)
    y[i+off] = y[i+off]*2 + i
endfor
print y                 % out: [0, 1, 4, 7, 3]
% falls back: the for-loop

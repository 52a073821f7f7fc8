% A variable that is called like a built-in function is a variable, and no obstacle where nothing calls it.
x = ones(3,4)
size = size(x)
numel = numel(x)
for i = 0..size[0]-1     % par: parallel over (i, j)
    for j = 0..size[1]-1
        x[i,j] = i*j + numel
    endfor
endfor
print x[2,3], " ", numel, " ", size    % out: 18 12 [3, 4]
max = 4
for i = 0..2             % par: parallel over (i)
    x[i,0] = max + i
endfor
print x[2,0]             % out: 6
% Where the variable is called, it is what is called.
abs = (v) -> v + 1
y = zeros(3)
for i = 0..2
    y[i] = abs(-i)
endfor
print y                  % out: [1, 0, -1]

% A variable whose first mention is a store of an element begins empty, whatever is assigned to it behind that.
function r = other(x)
    p = 2*x
    r = p
endfunction
x = [3, 1, 2]
for k = 0..2
    p[k] = x[k] / 6                                   % warning[Q0127]: 'p' grows with what is stored in it
endfor
[p, order] = sort(p)
print p*6, " ", order
p[3] = 1
print numel(p)

function y = squares(n)
    for k = 0..n-1
        y[k] = k^2                                    % warning[Q0127]: 'y' grows with what is stored in it
    endfor
    y = y / 2
    y[n] = -1
endfunction
print squares(3)

% What is assigned before keeps its size.
z = [1, 2]
z[2] = 3                                              % error[Q0340]: index 2 is out of bounds (0..1) in 'z'
% out: [1, 2, 3] [1, 2, 0]
% out: 4
% out: [0, 0.5, 2, -1]

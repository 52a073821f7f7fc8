% A small integer that becomes a float later counts as a float from the start, but not where something looks at what it is: what is
% changed in place, here or behind a function, stays an integer.
function y = same(x)
    y = x
    if mod(x, 2) == 0
        y = -1
    endif
endfunction
function [r, s] = changed(a)
    r = zeros(numel(a))
    s = zeros(numel(a))
    for i = 0..numel(a)-1  % par: parallel over (i)
        w = 0
        u = same(w)
        v = w + 3
        for q = 0..1
            u *= 1/a[i]     % warning[Q0360]: type conversion
            w = a[i]
        endfor
        v *= 0.5     % warning[Q0360]: type conversion
        r[i] = u
        s[i] = v
    endfor
endfunction
[r, s] = changed([1.0, 2.0, -4.0, 0.5])  % warns: 3
print r  % out: [-1, 0, 0, -4]
print s  % out: [1, 1, 1, 1]

function y = f(x, n)
    if nargin > 5
        n = 0
    endif
    y = x + n   % error[Q0308]: 'f' misses argument 'n'
endfunction
print f(1)

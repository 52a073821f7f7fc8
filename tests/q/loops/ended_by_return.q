% Loops whose iterations end the function around them, as in a search, and functions that return early within loops.
function r = find_first(a : vec, t : scalar)
    for k = 0..numel(a)-1                                         % par: serial: 'return' leaves it
        if a[k] > t
            r = k
            return
        endif
    endfor
    r = -1
endfunction
function [i, j, s] = search(m : mat, t : scalar)
    s = 0.0
    for i = 0..size(m,0)-1                                        % par: serial: 'return' leaves it
        for j = 0..size(m,1)-1
            if m[i,j] == t
                return
            endif
            s += m[i,j]
        endfor
    endfor
    i = -1
    j = -1
endfunction
function p = prime(n : int)
    p = 0
    if mod(n, 2) == 0
        return
    endif
    for d = 3..2..n-1
        if d*d > n
            break
        endif
        if mod(n, d) == 0
            return
        endif
    endfor
    p = 1
endfunction
function [f, g] = half(x : vec)
    g = 7
    for i = 0..numel(x)-1
        if x[i] > 3000.5
            f = x[i]/2
            g = 3
            return
        endif
        if x[i] < 0
            f = 3.0
            return
        endif
    endfor
endfunction
function [s, n] = until_zero(a : vec, from : int)
    s = 0.0
    n = 0
    if from < 0
        return
    endif
    i = from
    while i < numel(a)
        if a[i] == 0
            return
        endif
        for j = 0..2                                              % par: serial: 'return' leaves it
            if a[i] > 90 && j == 1
                n = -n
                return
            endif
            s += a[i]
        endfor
        n += 1
        i += 1
    endwhile
endfunction
function r = first_multiple(a : vec, t : int)
    r = -1
    for k = 0..numel(a)-1
        match mod(int(a[k]), t) with
        | 0 -> if a[k] > t
                r = k
                return
            endif
        endmatch
    endfor
endfunction
x = float(0..20000)
print find_first(x, 15000), " ", find_first(x, -1), " ", find_first(x, 30000), " ", find_first(x, 19999), " ", find_first(zeros(0), 1)
% out: 15001 0 -1 20000 -1
m = repmat(x[0..199], 200, 1)
[i, j, s] = search(m, 199)
print i, " ", j, " ", s
% out: 0 199 19701
[i, j, s] = search(m, 300)
print i, " ", j, " ", s
% out: -1 -1 3980000
m[150, 3] = -5
[i, j, s] = search(m, -5)
print i, " ", j, " ", s
% out: 150 3 2985003
print prime(1000003), prime(999999), prime(10403), prime(4)
% out: 1000
[f, g] = half(x)
print f, " ", g
% out: 1500.5 3
[f, g] = half(x - 100)
print f, " ", g
% out: 3 7
try
    [f, g] = half(x*0)
    print f
catch e
    print e
endtry
% out: output argument 'f' of 'half' was not assigned
v = mod(37*(0..99), 101) - 3
v[40] = 0
y = zeros(100)
z = zeros(100)
w = zeros(100)
for i = 0..99                                                     % par: parallel over (i)
    y[i] = first_multiple(v, i + 2)
    [s, n] = until_zero(v, i - 5)
    z[i] = s + 1000*n
    w[i] = find_first(v, i)
endfor
print sum(y), " ", sum(z), " ", sum(w)
% out: 1383 -280140 382

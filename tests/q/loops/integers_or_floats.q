% Variables that hold integers in some cases and floats in others have the type of what they hold, in kernels, too.
function y = ramp(x)
    if x < 0
        y = 0
    else
        y = x
    endif
endfunction
function y = part(x)
    y = -1
    if x > 2
        y = x - 0.5
    elseif x > 1
        y = x/2
    endif
endfunction
function [steps, halves, kept] = all(x)
    steps = zeros(numel(x))
    halves = zeros(numel(x))
    kept = zeros(numel(x))
    for i = 0..numel(x)-1  % par: parallel over (i)
        n = i + 1
        k = 0
        while n != 1
            if mod(n, 2) == 0
                n = n/2
            else
                n = 3*n + 1
            endif
            k += 1
        endwhile
        steps[i] = k
        a = ramp(x[i])
        b = part(x[i])
        halves[i] = a + b*2 - floor(a/2)
        % An integer that is changed in place stays one.
        c = x[i] > 1 ? x[i] : 3
        c *= 0.5     % warning[Q0360]: type conversion
        kept[i] = c
    endfor
endfunction
[steps, halves, kept] = all([-2.0, 0.5, 1.25, 2.5, 4.0, -0.25, 3.0])
print steps  % out: [0, 1, 7, 2, 5, 8, 16]
print halves  % out: [-2, -1.5, 2.5, 5.5, 9, -2, 7]
print kept  % out: [1, 1, 0.625, 1.25, 2, 1, 1.5]
% Elements, conditions and a loop in order.
function r = choose(t, x)
    r = zeros(numel(x))
    last = 0.0
    for i = 0..numel(x)-1
        j = ramp(x[i])
        if j > 2
            j = 2
        endif
        if j
            last = last/2 + t[floor(j)]
        endif
        r[i] = last
    endfor
endfunction
print choose([10, 20, 30], [0.0, 1.5, 7.25, -3.0, 2.0])  % out: [0, 20, 40, 40, 50]
% What is left behind the loop is what the last iteration made of it.
x = [1.5, -2.0, 0.25]
r = zeros(3)
for i = 0..2
    u = ramp(x[i])
    r[i] = u
endfor
print r, " ", u  % out: [1.5, 0, 0.25] 0.25
x = [1.5, 2.0, -7.0]
for i = 0..2
    u = ramp(x[i])
    r[i] = u
endfor
print r, " ", type(u, "int")  % out: [1.5, 2, 0] 1

% Arrays that iterations make and hand on in their middle, with lengths that follow from what the loop keeps, or from arrays that it
% assigns. On the processor each loop is one program.
function [w, v] = descended(x : mat, y : vec, steps : int)
    w = zeros(size(x,1))
    v = zeros(size(x,1))
    for t = 0..steps-1
        n : int = numel(w)
        g = zeros(n)
        for i = 0..size(x,0)-1
            e = -y[i]
            for k = 0..n-1
                e += x[i,k]*w[k]
            endfor
            for k = 0..n-1
                g[k] += e*x[i,k]
            endfor
        endfor
        next : vec[scalar] = vec[scalar](numel(v))
        for k = 0..numel(v)-1
            next[k] = 0.5*v[k] - 0.01*g[k]
        endfor
        v = next
        if v[0] > 100
            v = 0*v
        endif
        sum_of : vec[scalar] = vec[scalar](numel(w))
        for k = 0..numel(w)-1
            sum_of[k] = w[k] + v[k]
        endfor
        w = sum_of
    endfor
endfunction
% A store through one name is seen by the other: such arrays are not copied.
function y = shared(n : int)
    y = zeros(n)
    v = zeros(4)
    for t = 0..n-1
        next = zeros(4)
        next[1] = t
        v = next
        next[1] = next[1] + 1
        y[t] = v[1]
        v[2] = t
        y[t] += next[2]
    endfor
endfunction
% The length changes from one iteration to the next, under a name that had one before the loop.
function y = growing(n : int)
    y = zeros(n)
    k : int = 5
    for t = 0..n-1
        k : int = t + 1
        v = zeros(k)
        v = v + 1
        y[t] = sum(v)
    endfor
endfunction
% The variable of a loop within is looked at behind both.
function y = counted(a : vec, n : int)
    s = 0.0
    for i = 0..n-1
        for j = 0..numel(a)-1
            s = s*0.5 + a[j]
        endfor
    endfor
    y = s + j
endfunction
x = reshape(mod((0..59)*7, 11)/8, 12, 5)
[w, v] = descended(x, mod(0..11, 5)*1.0, 3000)
print round(100*w), " ", max(abs(v)) < 0.001
print sum(shared(3000))
print sum(growing(2000))
print counted(ones(10), 2000)
% out: [110, 4, 224, -6, -45] 1
% out: 9000000
% out: 2001000
% out: 11

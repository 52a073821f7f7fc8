% Time loops whose iterations make arrays anew and hand them on: on the processor each is one program. What stood under the names
% before stays as it was, and what an iteration leaves out is zero.
function [d, kept] = distance(a, b)
    m = numel(b)
    previous = vec[int](m+1)
    for j = 0..m
        previous[j] = j
    endfor
    kept = previous
    for i = 1..numel(a)
        current = vec[int](m+1)
        current[0] = i
        for j = 1..m
            change = previous[j-1] + (a[i-1] == b[j-1] ? 0 : 1)
            current[j] = min(change, min(previous[j], current[j-1]) + 1)
        endfor
        previous = current
    endfor
    d = previous[m]
endfunction
function [old, new, first] = third(first, steps)
    n = numel(first)
    older = first
    old = 0.5*first
    for t = 1..steps
        new = zeros(n)
        for i = 1..n-2
            new[i] = 1.5*old[i] - 0.5*older[i] + 0.125*(old[i-1] - 2*old[i] + old[i+1])
        endfor
        older = old
        old = new
    endfor
endfunction
function [a, b] = together(n, steps)
    a = (0..n-1)/8
    b = ones(n)
    for t = 1..steps
        more = ones(n)
        less = zeros(size(a))
        for i = t..n-1
            more[i] = 0.5*a[i-t] + b[i]
            less[i] += more[i] - 0.25*a[i]
        endfor
        a = more
        b = less
    endfor
endfunction
function u = plate(n, steps)
    u = zeros(n, n)
    u[2,2] = 64
    for t = 1..steps
        f : mat'clamped = u
        next = zeros(n, n)
        for m = 0..n-1
            for k = 0..n-1
                next[m,k] = 0.25*(f[m-1,k] + f[m+1,k] + f[m,k-1] + f[m,k+1])
            endfor
        endfor
        u = next
    endfor
endfunction
% Elements are stored into what comes in, the lengths change, and an iteration faults.
function [row, start] = stored(n, steps)
    row = zeros(n)
    start = row
    for t = 1..steps
        row[t] = t
        next = zeros(n)
        for i = 1..n-1
            next[i] = row[i-1] + start[i]
        endfor
        row = next
    endfor
endfunction
function row = growing(steps)
    row = ones(3)
    for t = 1..steps
        next = zeros(3 + t)
        for i = 0..numel(row)-1
            next[i] = 2*row[i]
        endfor
        row = next
    endfor
endfunction
function [row, t] = failing(n, steps)
    row = ones(n)
    try
        for t = 1..steps
            next = zeros(n)
            for i = 0..n-1
                next[i] = row[i] + 1
            endfor
            next[4*t] = 0
            row = next
        endfor
    catch
        row = row*10
    endtry
endfunction
for steps = 1..4
    [d, kept] = distance([3,1,4,1,5,9,2,6][0..steps+3], [3,1,4,2,6,5])
    print d, " ", sum(kept)
    [old, new, first] = third((0..39).*(0..39)/16, steps)
    new[1] = 99
    print old[1], " ", old[7], " ", sum(first)
    [a, b] = together(24, steps)
    print sum(a), " ", sum(b), " ", a[3], " ", b[20]
    u = plate(6, steps)
    print u[2,1], " ", u[3,3], " ", sum(u)
    [row, start] = stored(12, steps)
    print sum(row), " ", sum(start)
    print sum(growing(steps))
    [row, t] = failing(10, steps)
    print sum(row), " ", t
endfor
% out: 2 21
% out: 99 0.773438 1283.75
% out: 39.8125 30.1875 1.125 1.5625
% out: 16 0 64
% out: 2 1
% out: 6
% out: 18 1
% out: 3 21
% out: 99 0.398438 1283.75
% out: 48.7812 37.3281 1.53125 2.04688
% out: 0 8 64
% out: 4 1
% out: 12
% out: 25 2
% out: 4 21
% out: 99 0.212891 1283.75
% out: 59.4062 45.0859 1.75 2.60156
% out: 9 0 64
% out: 6 1
% out: 24
% out: 250 3
% out: 4 21
% out: 99 0.121094 1283.75
% out: 70.6875 53.0234 1 3.25781
% out: 0.25 6 64
% out: 8 1
% out: 48
% out: 250 3

% Arrays that iterations make for themselves, in loops whose iterations need each other: one array serves all of them, filled anew
% each time. On the processor each loop is one program. A name that keeps such an array keeps what the iteration put there.
function [total, c] = moments(x)
    n = size(x, 0)
    d = size(x, 1)
    c = zeros(d, d)
    total = 0.0
    for i = 0..n-1
        v = zeros(d)
        for k = 0..d-1
            v[k] = x[i,k] - total
        endfor
        for a = 0..d-1
            for b = 0..d-1
                c[a,b] += v[a]*v[b]
            endfor
        endfor
        total = mod(total + v[0], 16)
    endfor
endfunction
% Within a branch of a loop within; integers; filled, since not every element is set.
function best = routes(cost, goal)
    n = numel(cost)
    best = vec[int](goal+1)
    for g = 1..goal
        for part = 0..1
            if mod(g + part, 3) != 0
                seen = vec[int](n)
                for k = 0..n-1
                    if cost[k] <= g
                        seen[k] = best[g-cost[k]] + part
                    endif
                endfor
                for k = 0..n-1
                    best[g] = max(best[g], seen[k] + 1)
                endfor
            endif
        endfor
    endfor
endfunction
% Ones, in a loop with a condition; the sum decides about the next iteration.
function [steps, s] = thinned(n)
    s = 1.0*n
    steps = 0
    for t = 1..200
        w = ones(n)
        k = 0
        while k < n
            w[k] = w[k] + mod(t*k, 5)
            k = k + 2
        endwhile
        all = 0.0
        for j = 0..n-1
            all += w[j]
        endfor
        if all > s
            s = mod(3*s + all, 1024)
            steps = steps + 1
        endif
    endfor
endfunction
% The array of one iteration is kept, its lengths change, or it is handed to another name that the next iteration reads.
function [kept, last] = keeps(n)
    kept = zeros(n)
    for t = 1..40
        v = zeros(n)
        v[0] = t
        for k = 1..n-1
            v[k] = mod(v[k-1] + kept[k], 64)
        endfor
        if mod(t, 16) == 3
            kept = v
        endif
        last = v
    endfor
endfunction
function s = wider(n)
    s = 0.0
    for t = 1..n
        v = zeros(t + 1)
        for k = 0..t
            v[k] = k + mod(s, 8)
        endfor
        s = mod(5*s + v[t], 256)
    endfor
endfunction
function r = mirrored(n)
    before = ones(n)
    r = 0.0
    for t = 1..30
        v = zeros(n)
        for k = 0..n-1
            v[k] = mod(3*before[n-1-k] + k, 32)
        endfor
        r = r + v[t-1] - before[0]
        before = v
    endfor
endfunction
function [s, t] = stops(n)
    s = zeros(n)
    t = 0
    try
        for t = 1..n
            v = zeros(n)
            v[2*t] = 1
            for k = 0..n-1
                s[k] += v[k] + mod(s[0], 4) + 1
            endfor
        endfor
    catch
        s = s*8
    endtry
endfunction
for r = 1..3
    [total, c] = moments(mod(reshape(0..40*(9+r)-1, [40, 9+r])*37, 64)/8)
    print total, " ", sum(c)
    print sum(routes([2,5,7,3], 50*r))
    [steps, s] = thinned(70+r)
    print steps, " ", s
    [kept, last] = keeps(40+r)
    print sum(kept), " ", sum(last)
    print wider(60+r)
    print mirrored(40+r)
    [s, t] = stops(20+2*r)
    print t, " ", sum(s)
endfor
% What the last iteration has made is there behind the loop, outside of functions, too.
q = 0.0
for t = 1..50
    seen = zeros(100)
    for k = 0..99
        seen[k] = q + t*k
    endfor
    q = mod(seen[3], 32)
endfor
print seen[1], " ", numel(seen), " ", q
% out: 3.75 22901.8
% out: 1058
% out: 1 354
% out: 1471 1410
% out: 169
% out: 310
% out: 11 6744
% out: 0.125 26876.6
% out: 4200
% out: 1 358
% out: 1476 1419
% out: 140
% out: -165
% out: 12 8128
% out: 4.5 34621.5
% out: 9425
% out: 1 364
% out: 1498 1450
% out: 255
% out: -224
% out: 13 9640
% out: 77 100 17

% Loops in order that an iteration may end: one program on the processor, whatever the variables hold where it ends.
function [x, at, change] = relaxed(a : mat, b : vec, most : int)
    x = zeros(numel(b))
    change = 0.0
    at = -1
    for t = 0..most-1
        before = copy(x)
        for i = 0..numel(b)-1
            s = b[i]
            for j = 0..numel(b)-1
                if j != i
                    s -= a[i,j]*x[j]
                endif
            endfor
            x[i] = s/a[i,i]
        endfor
        change = 0.0
        for i = 0..numel(b)-1
            change = max(change, abs(x[i] - before[i]))
        endfor
        if mod(t, 3) == 1
            continue
        endif
        at = t
        if change < 0.0001
            break
        endif
    endfor
endfunction
% The variable of the loop behind it, and one that the last iteration does not set.
function [t, last, found] = searched(n : int, goal : int)
    last = -1
    found = 0
    k = 1
    for t = 0..n-1
        k = mod(k*75 + 74, 65537)
        if k == goal
            found = 1
            break
        endif
        last = k
    endfor
endfunction
% Sorted by exchanges until there is none.
function [x, rounds] = sorted(x : vec)
    x = copy(x)
    rounds = 0
    for i = 0..numel(x)-1
        swapped = 0
        for j = 0..numel(x)-2-i
            if x[j] > x[j+1]
                h = x[j]
                x[j] = x[j+1]
                x[j+1] = h
                swapped = 1
            endif
        endfor
        rounds += 1
        if swapped == 0
            break
        endif
    endfor
endfunction
n = 40
a = reshape(mod((0..n*n-1)*7, 23)/40, n, n)
for i = 0..n-1
    a[i,i] = 30
endfor
[x, at, change] = relaxed(a, mod(0..n-1, 7)*1.0, 5000)
print round(10000*x[0..5]), " ", at, " ", change < 0.0001
[t, last, found] = searched(60000, 4711)
print t, " ", last, " ", found
[t, last, found] = searched(60000, 70000)
print t, " ", last, " ", found
[s, rounds] = sorted(mod((0..299)*77, 301))
print s[0..7], " ", rounds, " ", sum(s)
% out: [-281, 101, 426, 750, 1084, 1390] 5 1
% out: 10406 64725 1
% out: 59999 56583 0
% out: [0, 0, 0, 0, 0, 0, 0, 7] 253 44023

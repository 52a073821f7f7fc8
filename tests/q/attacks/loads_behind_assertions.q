% A loop that runs in order, unfolded: the first of its iterations stops, and what a later branch reads must not be read before.
function [] = work(from, to)
    x = mod((0..8).*5, 7)
    m = -100.0
    c = 0
    try
        for i = from..to
            if x[i] > m
                m = x[i]
                c = i
            endif
            if (1 - i) != numel(x)
                continue
            endif
            if x[i] > m
                m = x[i]
                c = i
            endif
        endfor
    catch e
        print e
    endtry
    print m, " ", c
endfunction
work(-1, 3)
work(-1000000000, -999999996)
work(1000000000, 1000000004)
work(7, 11)
% a sum whose element is the same each time, and outside
function [] = total(k, n)
    x = [1,2,3]
    s = 0
    t = 0
    try
        {!serial for}
        for i = 0..n
            if s > 100
                break
            endif
            s = s + x[k] + t
            t = s - x[k]
        endfor
    catch e
        print e
    endtry
    print s
endfunction
total(1, 3)
total(-800000000, 3)
total(900000000, 3)
% out: index -1 is out of bounds (0..8) in 'x'
% out: -100 0
% out: index -1000000000 is out of bounds (0..8) in 'x'
% out: -100 0
% out: index 1000000000 is out of bounds (0..8) in 'x'
% out: -100 0
% out: index 9 is out of bounds (0..8) in 'x'
% out: 5 8
% out: 16
% out: index -800000000 is out of bounds (0..2) in 'x'
% out: 0
% out: index 900000000 is out of bounds (0..2) in 'x'
% out: 0

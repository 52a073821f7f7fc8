% Loops whose conditions compare positions with numbers that differ from launch to launch: code for all of them, whose interior follows from
% the numbers.
function y : vec = running(x : vec)
    y = copy(x)
    z = zeros(numel(x))
    d = 1
    while d < numel(x)
        for i = 0..numel(x)-1
            z[i] = i >= d ? y[i] + y[i-d] : y[i]
        endfor
        [y, z] = [z, y]
        d = 2*d
    endwhile
endfunction
% Both neighbours, as far as there are any.
function y : vec[int] = apart(x : vec[int], d : int)
    y = vec[int](numel(x))
    n = numel(x)
    for i = 0..n-1
        s = x[i]
        if i - d >= 0
            s += 3*x[i-d]
        endif
        if i + d < n
            s += 5*x[i+d]
        endif
        y[i] = s
    endfor
endfunction
% Two numbers, along two axes.
function y : mat = moved(x : mat, down : int, right : int)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if m >= down && n + right < size(x,1) && n + right >= 0
                y[m,n] = x[m-down,n+right]
            endif
        endfor
    endfor
endfunction
x = mod((0..9999)*7, 5)
y = running(x)
print y[0], " ", y[1], " ", y[16], " ", y[4999], " ", y[9999]  % out: 0 2 32 10000 20000
a = int(mod((0..4999)*7, 11))
steps = int([1, 2, 3, 16, 17, 100, 2000, 4999, 5000, 6000, 2000000000])
for k = 0..numel(steps)-1
    d = steps[k]
    b = apart(a, d)
    print d, " ", sum(b), " ", b[0], " ", b[17], " ", b[2500], " ", b[4999]
endfor
% out: 1 224976 35 40 49 20
% out: 2 224923 15 32 41 32
% out: 3 224878 50 79 55 11
% out: 16 224328 10 30 39 2
% out: 17 224318 45 44 53 14
% out: 100 221016 35 34 49 20
% out: 2000 145004 40 39 51 17
% out: 4999 25008 10 9 10 2
% out: 5000 24998 0 9 10 2
% out: 6000 24998 0 9 10 2
% out: 2000000000 24998 0 9 10 2
p = reshape(mod((0..9999)*3, 17), 100, 100)
ways = int([0, 1, 5, 40, 99, 100, 1000000000])
for k = 0..numel(ways)-1
    d = ways[k]
    q = moved(p, d, 2*min(d, 50) - 3)
    print d, " ", sum(sum(q)), " ", q[99,0], " ", q[40,99], " ", q[99,99]
endfor
% out: 0 77588 0 14 0
% out: 1 78407 0 9 12
% out: 5 70672 1 0 0
% out: 40 11039 13 0 0
% out: 99 15 2 0 0
% out: 100 0 0 0 0
% out: 1000000000 0 0 0 0

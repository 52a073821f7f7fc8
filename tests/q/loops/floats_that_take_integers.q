% A variable that holds a float, then an integer: `+=` means something else from there on, on all devices.
function [] = a()
    z = int([1,2,3,4,5,6,7,8,9])
    v = zeros(9)
    for i = 0..8
        s = 0.0
        for j = 0..3
            s += 0.5     % warning[Q0360]: type conversion
            if j == i
                s = z[j]
            endif
        endfor
        v[i] = s
    endfor
    print v
endfunction
function [] = b()
    z = int([1,2,3,4,5,6,7,8,9])
    v = zeros(9)
    for i = 0..8
        s = 0.0
        if i > 3
            s = z[i]
        endif
        s += 0.5     % warning[Q0360]: type conversion
        v[i] = s
    endfor
    print v
endfunction
function [] = c()
    z = int([1,2,3,4,5,6,7,8,9])
    v = zeros(9)
    for i = 0..8
        s = 0.0
        if i > 3
            s = z[i]
        endif
        s = s/2
        v[i] = s
    endfor
    print v
endfunction
a()
b()
c()
% declared, it stays a float
function [] = d()
    z = int([1,2,3,4,5,6,7,8,9])
    v = zeros(9)
    for i = 0..8
        s : scalar = 0.0
        if i > 3
            s = z[i]
        endif
        s += 0.5
        v[i] = s
    endfor
    print v
endfunction
% integers added to an integer are what they are for floats
function [] = e()
    z = int([1,2,3,4,5,6,7,8,9])
    v = zeros(9)
    for i = 0..8
        s = 0.5
        if i > 3
            s = z[i]
        endif
        s += z[8-i]
        v[i] = s
    endfor
    print v
endfunction
% taken by a serial loop
function [] = f()
    x = [0.5,2.5,1.5,7.5,-3.5,0.25,4,-1]
    s = 0.0
    for i = 0..7     % warning[Q0504]: dependency
        if x[i] < 0
            s = 0
        endif
        s += x[i]     % warning[Q0360]: type conversion
        s *= 0.5     % warning[Q0360]: type conversion
    endfor
    print s
endfunction
d()
e()
f()
% out: [1, 2, 3, 4, 2, 2, 2, 2, 2]
% out: [0.5, 0.5, 0.5, 0.5, 5, 6, 7, 8, 9]
% out: [0, 0, 0, 0, 2.5, 3, 3.5, 4, 4.5]
% out: [0.5, 0.5, 0.5, 0.5, 5.5, 6.5, 7.5, 8.5, 9.5]
% out: [9.5, 8.5, 7.5, 6.5, 10, 10, 10, 10, 10]
% out: 0

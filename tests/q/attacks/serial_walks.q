% Serial loops, 'while' and 'repeat', whose positions follow from what was read.
function [] = walk(x, y, n)
    i = 0
    while i >= 0 && i < 100
        y[i] = x[i]
        i += n
        if i == 0
            break
        endif
    endwhile
endfunction
function [] = follow(x, y, n)
    i = 0
    k = 0
    while k < 12
        i = x[i] + n
        y[i] += 1
        k += 1
    endwhile
endfunction
function [] = counted(x, y, n)
    k = 0
    for i = 0..7
        if x[i] > 1
            y[k] = i
            k += n
        endif
    endfor
endfunction
function [] = from_the_end(x, y, n)
    k = 7
    for i = 0..7
        y[k] = x[i]
        k -= n
    endfor
endfunction
function [] = two_walkers(x, y, n)
    a = 0
    b = 7
    while a <= b
        y[a] = x[b]
        a += 1
        b -= n
    endwhile
endfunction
function [] = until_found(x, y, n)
    i = 0
    repeat
        i += 1
        y[i] = x[i]
    until x[i] == n || i > 20
endfunction
function [] = shrinking(x, y, n)
    z = y
    for t = 0..3
        for i = 0..7
            z[i] = x[i] + t
        endfor
        z = z[0..7 - n]
    endfor
endfunction
function [] = swapping(x, y, n)
    for t = 0..3
        for i = 0..6
            y[i + n] = x[i] + 1
        endfor
        [x, y] = [y, x]
    endfor
endfunction
function [] = doubled(x, y, n)
    i = 1
    for t = 0..40
        y[i] = 1
        i = i * 2 + n
    endfor
endfunction
function [] = attempt(what, f)
    for n = [1, 0, -1, 2, 9, maxvalue(int)]
        x = [3,1,4,1,5,2,6,0]
        y = zeros(8)
        try
            f(x, y, n)
            print what, " ", n, ": ", y
        catch ex
            print what, " ", n, ": ", y, " ", ex.message
        endtry
    endfor
endfunction
attempt("walk", walk)
attempt("follow", follow)
attempt("counted", counted)
attempt("from the end", from_the_end)
attempt("two walkers", two_walkers)
attempt("until", until_found)
attempt("shrinking", shrinking)
attempt("swapping", swapping)
attempt("doubled", doubled)
% falls back: the for-loop
% out: walk 1: [3, 1, 4, 1, 5, 2, 6, 0] index 8 is out of bounds (0..7) in 'x'
% out: walk 0: [3, 0, 0, 0, 0, 0, 0, 0]
% out: walk -1: [3, 0, 0, 0, 0, 0, 0, 0]
% out: walk 2: [3, 0, 4, 0, 5, 0, 6, 0] index 8 is out of bounds (0..7) in 'x'
% out: walk 9: [3, 0, 0, 0, 0, 0, 0, 0] index 9 is out of bounds (0..7) in 'x'
% out: walk 2147483648: [3, 0, 0, 0, 0, 0, 0, 0] value 2147483648 does not fit in int
% out: follow 1: [0, 1, 3, 2, 1, 3, 1, 1]
% out: follow 0: [0, 11, 0, 1, 0, 0, 0, 0]
% out: follow -1: [4, 0, 4, 4, 0, 0, 0, 0]
% out: follow 2: [0, 0, 1, 0, 1, 1, 1, 1] index 8 is out of bounds (0..7) in 'y'
% out: follow 9: [0, 0, 0, 0, 0, 0, 0, 0] index 12 is out of bounds (0..7) in 'y'
% out: follow 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'y'
% out: counted 1: [0, 2, 4, 5, 6, 0, 0, 0]
% out: counted 0: [6, 0, 0, 0, 0, 0, 0, 0]
% out: counted -1: [0, 0, 0, 0, 0, 0, 0, 0] index -1 is out of bounds (0..7) in 'y'
% out: counted 2: [0, 0, 2, 0, 4, 0, 5, 0] index 8 is out of bounds (0..7) in 'y'
% out: counted 9: [0, 0, 0, 0, 0, 0, 0, 0] index 9 is out of bounds (0..7) in 'y'
% out: counted 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] value 2147483648 does not fit in int
% out: from the end 1: [0, 6, 2, 5, 1, 4, 1, 3]
% out: from the end 0: [0, 0, 0, 0, 0, 0, 0, 0]
% out: from the end -1: [0, 0, 0, 0, 0, 0, 0, 3] index 8 is out of bounds (0..7) in 'y'
% out: from the end 2: [0, 1, 0, 4, 0, 1, 0, 3] index -1 is out of bounds (0..7) in 'y'
% out: from the end 9: [0, 0, 0, 0, 0, 0, 0, 3] index -2 is out of bounds (0..7) in 'y'
% out: from the end 2147483648: [0, 0, 0, 0, 0, 0, 0, 3] value 2147483648 does not fit in int
% out: two walkers 1: [0, 6, 2, 5, 0, 0, 0, 0]
% out: two walkers 0: [0, 0, 0, 0, 0, 0, 0, 0]
% out: two walkers -1: [0, 0, 0, 0, 0, 0, 0, 0] index 8 is out of bounds (0..7) in 'x'
% out: two walkers 2: [0, 2, 1, 0, 0, 0, 0, 0]
% out: two walkers 9: [0, 0, 0, 0, 0, 0, 0, 0]
% out: two walkers 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] value 2147483648 does not fit in int
% out: until 1: [0, 1, 0, 0, 0, 0, 0, 0]
% out: until 0: [0, 1, 4, 1, 5, 2, 6, 0]
% out: until -1: [0, 1, 4, 1, 5, 2, 6, 0] index 8 is out of bounds (0..7) in 'x'
% out: until 2: [0, 1, 4, 1, 5, 2, 0, 0]
% out: until 9: [0, 1, 4, 1, 5, 2, 6, 0] index 8 is out of bounds (0..7) in 'x'
% out: until 2147483648: [0, 1, 4, 1, 5, 2, 6, 0] index 8 is out of bounds (0..7) in 'x'
% out: shrinking 1: [3, 1, 4, 1, 5, 2, 6, 0] index 7 is out of bounds (0..6) in 'z'
% out: shrinking 0: [3, 1, 4, 1, 5, 2, 6, 0]
% out: shrinking -1: [3, 1, 4, 1, 5, 2, 6, 0] index 8 is out of bounds (0..7) in 'z'
% out: shrinking 2: [3, 1, 4, 1, 5, 2, 6, 0] index 6 is out of bounds (0..5) in 'z'
% out: shrinking 9: [3, 1, 4, 1, 5, 2, 6, 0] index 0 is out of bounds in 'z', which is empty
% out: shrinking 2147483648: [3, 1, 4, 1, 5, 2, 6, 0] index 0 is out of bounds in 'z', which is empty
% out: swapping 1: [0, 4, 2, 6, 4, 7, 4, 8]
% out: swapping 0: [6, 4, 7, 4, 8, 5, 9, 0]
% out: swapping -1: [0, 0, 0, 0, 0, 0, 0, 0] index -1 is out of bounds (0..7) in 'y'
% out: swapping 2: [0, 0, 4, 2, 5, 2, 6, 3] index 8 is out of bounds (0..7) in 'y'
% out: swapping 9: [0, 0, 0, 0, 0, 0, 0, 0] index 9 is out of bounds (0..7) in 'y'
% out: swapping 2147483648: [0, 0, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'y'
% out: doubled 1: [0, 1, 0, 1, 0, 0, 0, 1] index 15 is out of bounds (0..7) in 'y'
% out: doubled 0: [0, 1, 1, 0, 1, 0, 0, 0] index 8 is out of bounds (0..7) in 'y'
% out: doubled -1: [0, 1, 0, 0, 0, 0, 0, 0]
% out: doubled 2: [0, 1, 0, 0, 1, 0, 0, 0] index 10 is out of bounds (0..7) in 'y'
% out: doubled 9: [0, 1, 0, 0, 0, 0, 0, 0] index 11 is out of bounds (0..7) in 'y'
% out: doubled 2147483648: [0, 1, 0, 0, 0, 0, 0, 0] index 2147483648 is out of bounds (0..7) in 'y'

% Elements that few items, or most, add to: by instructions of the processor, or by copies that threads combine in strips.
function [] = add(bins, n)
    x = mod((0..n-1)*7919, bins)
    s = mod(0..bins-1, 5)*0.5
    c = vec[int](bins)
    for i = 0..n-1     % par: parallel over (i), accumulates into c, accumulates into s
        s[x[i]] += 0.25*mod(i, 9)
        if mod(i, 4) > 0
            c[bins-1-x[i]] -= mod(i, 3)
        endif
    endfor
    w = mod(0..bins-1, 11)
    print bins, " ", n, ": ", sum(s.*w), " ", sum(c.*w), " ", s[x[7]], " ", c[bins-1-x[7]]
endfunction
add(9000, 500)
add(9000, 4900)
add(70, 800)
add(5001, 33)
% out: 9000 500: 47417.5 -2188 3.25 -1
% out: 9000 4900: 69233.8 -18255 3.25 -1
% out: 70 800: 4180 -2889 14.25 -12
% out: 5001 33: 25142.8 -123 2.75 -1
% The new value is wanted, so that every item gets a number of its own; the least and the largest of a few.
function [] = __kernel__ numbers(many : vec[int], y : vec[int], ends : vec, pos : int)
    if mod(pos, 3) != 1
        y[pos] = (many[0] += 2)
    endif
    ends[mod(pos, 2)] __= 500 - pos
    ends[2 + mod(pos, 2)] ^^= pos*0.5
endfunction
many = vec[int](1)
y = vec[int](333)
ends = [1000.0, 1000, -1, -1]
parallel_do(333, many, y, ends, numbers)
print many[0], " ", sum(y), " ", max(y), " ", sum(y == 0), " ", ends        % out: 444 49506 444 111 [168, 169, 166, 165.5]
% Under an exclusive or and bits, each of which is an instruction.
b = vec[int](6000)
e = vec[int](6000)
for i = 0..299     % par: parallel over (i), accumulates into b, accumulates into e
    b[mod(i*37, 6000)] |= i
    e[mod(i*41, 50)] &= i
endfor
print sum(b), " ", b[37], " ", sum(e)        % out: 44850 1 0

% A range from 0 to the end of the integers, with a step that only the launch knows: its iterations are one more than an integer holds.
function [] = __kernel__ count(y : vec, x : vec, n : int, k : int, pos : int)
    c = 0
    for i = min(max(k, -2147483638), 2147483638)..max(k, 1)..max(2147483647, -3)
        c += 1
        y[pos] = y[pos] + x[pos]
        if c > n
            break
        endif
    endfor
endfunction
y = zeros(3)
parallel_do(3, y, [1,2,3], 7, 0, count)
print y                 % out: [8, 16, 24]
y = zeros(3)
parallel_do(3, y, [1,2,3], 7, 2147483646, count)
print y                 % out: [1, 2, 3]
y = zeros(3)
parallel_do(3, y, [1,2,3], 7, 1000000000, count)
print y                 % out: [2, 4, 6]

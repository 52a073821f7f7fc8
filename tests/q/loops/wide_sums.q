% Sums, extremes and bits of 64-bit integers, whose parts items add up in parallel. They fit after every term, or the host says where not.
function s : int64 = total(a : vec[int64], first : int64)
    s : int64 = first
    for i = 0..numel(a)-1
        s += a[i]
    endfor
endfunction
function [most : int64, least : int64, bits : int64] = extremes(a : vec[int64])
    most : int64 = a[0]
    least : int64 = a[0]
    bits : int64 = 0
    for i = 0..numel(a)-1
        most = max(most, a[i])
        least = min(least, a[i])
        bits = or(bits, a[i])
    endfor
endfunction
function [] = attempt(a : vec[int64], first : int64)
    try
        print total(a, first)
    catch ex
        print ex.message
    endtry
endfunction
n = 3000
a = vec[int64](n)
for i = 0..n-1
    a[i] = i*i - 7
endfor
attempt(a, 5)
one : int64 = 1
big = shl(one, 61)
[most, least, bits] = extremes(a)
print most, " ", least, " ", bits
% In the end it fits, but not on the way: whoever adds in order meets the end of the numbers.
a[10] = big
a[11] = big
a[12] = big
a[13] = big
a[2000] = -big
a[2001] = -big
attempt(a, 5)
% Near the end, but never beyond it.
a[12] = 0
a[13] = 0
attempt(a, 5)
attempt(a, -big - big)
% out: 8995479505
% out: 8993994 -7 -1
% out: integer overflow in 6917529027641082076 + 2305843009213693952
% out: 8987475012
% out: -4611686009439912897
% falls back on qpu: the for-loop

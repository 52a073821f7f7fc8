% Extremes that items find in elements of their choice, with NaN and zeros of both signs aside.
function [] = __kernel__ ends(x:mat, low:vec, high:vec, n:vec[int], pos:ivec2)
    k = mod(pos[0]*7+pos[1], numel(low))
    low[k] __= x[pos]
    high[k] ^^= x[pos]
    if mod(pos[1],3) == 0
        n[0] ^^= pos[0]*1000+pos[1]
        n[1] __= -pos[1]
    endif
end
x = mod(reshape(0..16383,[128,128])*7919, 1009) - 500
low = ones(5000)*1e9
high = ones(5000)*(-1e9)
n = vec[int](2)
parallel_do(size(x),x,low,high,n,ends)
m = low < 1e8
print sum(low[find(m)[:,1]]), " ", sum(high[find(m)[:,1]]), " ", min(low), " ", max(high), " ", n
function [] = __kernel__ one(x:mat, top:vec, pos:ivec2)
    top[0] ^^= x[pos]
    top[1] __= x[pos]
end
t = [-1e9,1e9]
parallel_do(size(x),x,t,one)
print t
% out: -452063 459523 -500 508 [127126, -126]
% out: [508, -500]

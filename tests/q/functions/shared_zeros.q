function [] = __kernel__ k(y : vec, pos : int)
s = shared_zeros(1)
syncthreads
s[0] += 1
syncthreads
y[pos] = s[0]
endfunction
y = zeros(4)
parallel_do([[4],[4]], y, k)
print y
% out: [4, 4, 4, 4]

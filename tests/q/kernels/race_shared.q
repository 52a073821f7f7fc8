% args: --check-races
% Shared memory needs the barrier, too.
function [] = __kernel__ reverse(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    t = shared(8)
    t[blkpos] = x[pos]
    y[pos] = t[blkdim-1-blkpos]  % error[Q0431]: race: 't[
endfunction
x = 0..15
y = zeros(16)
parallel_do([[16],[8]], x, y, reverse)

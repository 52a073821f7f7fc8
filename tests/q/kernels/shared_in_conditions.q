% A condition on one shared element is one for the whole block, also where the last vector of the grid is not full.
function [] = __kernel__ one_for_all(x : vec, z : vec, pos : int, blkpos : int, blkidx : int)
    t = shared(64)
    t[blkpos] = x[pos]
    n = mod(x[pos], 13)
    syncthreads
    own = x[pos]
    if mod(t[1] - blkidx, 13) > 5
        own = mod(x[pos], 17)
        n = 1
        z[pos] = 7
    endif
    z[pos] += n + 100*own
endfunction
x = mod((0..89)*5, 11)
z = zeros(90)
parallel_do([[90],[64]], x, z, one_for_all)
print z[64..89]
% out: [101, 606, 0, 505, 1010, 404, 909, 303, 808, 202, 707, 101, 606, 0, 505, 1010, 404, 909, 303, 808, 202, 707, 101, 606, 0, 505]

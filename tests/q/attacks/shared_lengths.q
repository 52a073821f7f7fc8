% Shared arrays whose length is a parameter: the assertion bounds it or does not, stands elsewhere, or the length changes.
function [] = __kernel__ k_before(y : vec, M : int, n : int, pos : int, blkpos : int)
    assert(M < 8)
    s = shared(M)
    s[blkpos] = 1 + blkpos
    syncthreads
    y[pos] = s[n]
endfunction
function [] = __kernel__ k_at_most(y : vec, M : int, n : int, pos : int, blkpos : int)
    assert(M <= 8)
    s = shared(M)
    s[blkpos] = 1 + blkpos
    syncthreads
    y[pos] = s[n]
endfunction
function [] = __kernel__ k_reassigned(y : vec, M : int, n : int, pos : int, blkpos : int)
    assert(M < 8)
    M = M + n
    s = shared(M)
    s[blkpos + n] = 7
    syncthreads
    y[pos] = s[M - 1]
endfunction
function [] = __kernel__ k_branch(y : vec, M : int, n : int, pos : int, blkpos : int)
    if n < 0
        assert(M < 8)
    endif
    s = shared(M)
    s[M - 1] = 7
    syncthreads
    y[pos] = s[M - 1]
endfunction
function [] = __kernel__ k_two(y : vec, M : int, n : int, pos : int, blkpos : int)
    assert(M < 8 && n < 8)
    s = shared(M, n)
    s[blkpos, 0] = 1
    syncthreads
    y[pos] = s[M - 1, n - 1] + s[0, 0]
endfunction
function [] = attempt(what, M, n, k)
    y = zeros(4)
    try
        parallel_do(4, y, M, n, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("before, plain", 7, 3, k_before)
attempt("before, outside", 4, 100000, k_before)
attempt("before, before it", 4, -100000, k_before)
attempt("before, empty", 0, 0, k_before)
attempt("before, negative", -1, 0, k_before)
attempt("before, least", minvalue(int), 1, k_before)
attempt("before, beyond its bound", 9000, 0, k_before)
attempt("before, greatest", maxvalue(int), 1, k_before)
attempt("at_most, plain", 7, 3, k_at_most)
attempt("at_most, outside", 4, 100000, k_at_most)
attempt("at_most, before it", 4, -100000, k_at_most)
attempt("at_most, empty", 0, 0, k_at_most)
attempt("at_most, negative", -1, 0, k_at_most)
attempt("at_most, least", minvalue(int), 1, k_at_most)
attempt("at_most, beyond its bound", 9000, 0, k_at_most)
attempt("at_most, greatest", maxvalue(int), 1, k_at_most)
attempt("reassigned, plain", 7, 3, k_reassigned)
attempt("reassigned, outside", 4, 100000, k_reassigned)
attempt("reassigned, before it", 4, -100000, k_reassigned)
attempt("reassigned, empty", 0, 0, k_reassigned)
attempt("reassigned, negative", -1, 0, k_reassigned)
attempt("reassigned, least", minvalue(int), 1, k_reassigned)
attempt("reassigned, beyond its bound", 9000, 0, k_reassigned)
attempt("reassigned, greatest", maxvalue(int), 1, k_reassigned)
attempt("branch, plain", 7, 3, k_branch)
attempt("branch, outside", 4, 100000, k_branch)
attempt("branch, before it", 4, -100000, k_branch)
attempt("branch, empty", 0, 0, k_branch)
attempt("branch, negative", -1, 0, k_branch)
attempt("branch, least", minvalue(int), 1, k_branch)
attempt("branch, beyond its bound", 9000, 0, k_branch)
attempt("branch, greatest", maxvalue(int), 1, k_branch)
attempt("two, plain", 7, 3, k_two)
attempt("two, outside", 4, 100000, k_two)
attempt("two, before it", 4, -100000, k_two)
attempt("two, empty", 0, 0, k_two)
attempt("two, negative", -1, 0, k_two)
attempt("two, least", minvalue(int), 1, k_two)
attempt("two, beyond its bound", 9000, 0, k_two)
attempt("two, greatest", maxvalue(int), 1, k_two)
% out: before, plain: [4, 4, 4, 4]
% out: before, outside: [0, 0, 0, 0]
% out: before, before it: [0, 0, 0, 0]
% out: before, empty: [0, 0, 0, 0]
% out: before, negative: a length of -1 for shared memory
% out: before, least: a length of -2147483648 for shared memory
% out: before, beyond its bound: the assertion does not hold
% out: before, greatest: the assertion does not hold
% out: at_most, plain: [4, 4, 4, 4]
% out: at_most, outside: [0, 0, 0, 0]
% out: at_most, before it: [0, 0, 0, 0]
% out: at_most, empty: [0, 0, 0, 0]
% out: at_most, negative: a length of -1 for shared memory
% out: at_most, least: a length of -2147483648 for shared memory
% out: at_most, beyond its bound: the assertion does not hold
% out: at_most, greatest: the assertion does not hold
% out: reassigned, plain: [0, 0, 0, 0]
% out: reassigned, outside: 400016 bytes of shared memory, a block has 49152
% out: reassigned, before it: a length of -99996 for shared memory
% out: reassigned, empty: [0, 0, 0, 0]
% out: reassigned, negative: a length of -1 for shared memory
% out: reassigned, least: a length of -2147483647 for shared memory
% out: reassigned, beyond its bound: the assertion does not hold
% out: reassigned, greatest: the assertion does not hold
% out: branch, plain: [7, 7, 7, 7]
% out: branch, outside: [7, 7, 7, 7]
% out: branch, before it: [7, 7, 7, 7]
% out: branch, empty: [0, 0, 0, 0]
% out: branch, negative: a length of -1 for shared memory
% out: branch, least: a length of -2147483648 for shared memory
% out: branch, beyond its bound: [7, 7, 7, 7]
% out: branch, greatest: 8589934588 bytes of shared memory, a block has 49152
% out: two, plain: [1, 1, 1, 1]
% out: two, outside: the assertion does not hold
% out: two, before it: a length of -100000 for shared memory
% out: two, empty: [0, 0, 0, 0]
% out: two, negative: a length of -1 for shared memory
% out: two, least: a length of -2147483648 for shared memory
% out: two, beyond its bound: the assertion does not hold
% out: two, greatest: the assertion does not hold

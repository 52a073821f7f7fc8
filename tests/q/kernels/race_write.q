% args: --check-races
% All positions write one element with a plain store.
function [] = __kernel__ last(s : vec, pos : int)
    s[0] = pos  % error[Q0431]: race: 's[0]' is written here by position 1 and written at
endfunction
s = zeros(1)
parallel_do(4, s, last)

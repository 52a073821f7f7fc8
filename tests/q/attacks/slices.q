% Slices that leave the array under every access mode, forwards, backwards and with gaps.
function [] = __kernel__ s_forward_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[pos] = sum(x[n..n + 2])
endfunction
function [] = __kernel__ s_strided_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[pos] = sum(x[n..2..n + 4])
endfunction
function [] = __kernel__ s_backward_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[pos] = sum(x[n..-1..n - 2])
endfunction
function [] = __kernel__ s_open_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[pos] = sum(x[0..n])
endfunction
function [] = __kernel__ s_list_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[pos] = sum(x[[n, 0, -n]])
endfunction
function [] = __kernel__ s_store_safe(y : vec, x : vec'safe, n : int, pos : int)
    y[n..n + 1] = [5, 6]
endfunction
function [] = __kernel__ s_forward_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    y[pos] = sum(x[n..n + 2])
endfunction
function [] = __kernel__ s_strided_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    y[pos] = sum(x[n..2..n + 4])
endfunction
function [] = __kernel__ s_backward_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    y[pos] = sum(x[n..-1..n - 2])
endfunction
function [] = __kernel__ s_open_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    y[pos] = sum(x[0..n])
endfunction
function [] = __kernel__ s_list_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    y[pos] = sum(x[[n, 0, -n]])
endfunction
function [] = __kernel__ s_store_clamped(y : vec, x : vec'clamped, n : int, pos : int)
    x[n..n + 1] = [5, 6]
    y[pos] = x[0]
endfunction
function [] = __kernel__ s_forward_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    y[pos] = sum(x[n..n + 2])
endfunction
function [] = __kernel__ s_strided_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    y[pos] = sum(x[n..2..n + 4])
endfunction
function [] = __kernel__ s_backward_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    y[pos] = sum(x[n..-1..n - 2])
endfunction
function [] = __kernel__ s_open_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    y[pos] = sum(x[0..n])
endfunction
function [] = __kernel__ s_list_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    y[pos] = sum(x[[n, 0, -n]])
endfunction
function [] = __kernel__ s_store_mirror(y : vec, x : vec'mirror, n : int, pos : int)
    x[n..n + 1] = [5, 6]
    y[pos] = x[0]
endfunction
function [] = __kernel__ s_forward_circular(y : vec, x : vec'circular, n : int, pos : int)
    y[pos] = sum(x[n..n + 2])
endfunction
function [] = __kernel__ s_strided_circular(y : vec, x : vec'circular, n : int, pos : int)
    y[pos] = sum(x[n..2..n + 4])
endfunction
function [] = __kernel__ s_backward_circular(y : vec, x : vec'circular, n : int, pos : int)
    y[pos] = sum(x[n..-1..n - 2])
endfunction
function [] = __kernel__ s_open_circular(y : vec, x : vec'circular, n : int, pos : int)
    y[pos] = sum(x[0..n])
endfunction
function [] = __kernel__ s_list_circular(y : vec, x : vec'circular, n : int, pos : int)
    y[pos] = sum(x[[n, 0, -n]])
endfunction
function [] = __kernel__ s_store_circular(y : vec, x : vec'circular, n : int, pos : int)
    x[n..n + 1] = [5, 6]
    y[pos] = x[0]
endfunction
function [] = attempt(what, n, k)
    y = zeros(4)
    try
        parallel_do(4, y, [1,2,3,4,5], n, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("forward safe, inside", 1, s_forward_safe)
attempt("forward safe, before", -7, s_forward_safe)
attempt("forward safe, behind", 9, s_forward_safe)
attempt("strided safe, inside", 1, s_strided_safe)
attempt("strided safe, before", -7, s_strided_safe)
attempt("strided safe, behind", 9, s_strided_safe)
attempt("backward safe, inside", 1, s_backward_safe)
attempt("backward safe, before", -7, s_backward_safe)
attempt("backward safe, behind", 9, s_backward_safe)
attempt("open safe, inside", 1, s_open_safe)
attempt("open safe, before", -7, s_open_safe)
attempt("open safe, behind", 9, s_open_safe)
attempt("list safe, inside", 1, s_list_safe)
attempt("list safe, before", -7, s_list_safe)
attempt("list safe, behind", 9, s_list_safe)
attempt("list safe, greatest", maxvalue(int), s_list_safe)
attempt("store safe, inside", 1, s_store_safe)
attempt("store safe, before", -7, s_store_safe)
attempt("store safe, behind", 9, s_store_safe)
attempt("forward clamped, inside", 1, s_forward_clamped)
attempt("forward clamped, before", -7, s_forward_clamped)
attempt("forward clamped, behind", 9, s_forward_clamped)
attempt("strided clamped, inside", 1, s_strided_clamped)
attempt("strided clamped, before", -7, s_strided_clamped)
attempt("strided clamped, behind", 9, s_strided_clamped)
attempt("backward clamped, inside", 1, s_backward_clamped)
attempt("backward clamped, before", -7, s_backward_clamped)
attempt("backward clamped, behind", 9, s_backward_clamped)
attempt("open clamped, inside", 1, s_open_clamped)
attempt("open clamped, before", -7, s_open_clamped)
attempt("open clamped, behind", 9, s_open_clamped)
attempt("list clamped, inside", 1, s_list_clamped)
attempt("list clamped, before", -7, s_list_clamped)
attempt("list clamped, behind", 9, s_list_clamped)
attempt("list clamped, greatest", maxvalue(int), s_list_clamped)
attempt("store clamped, inside", 1, s_store_clamped)
attempt("store clamped, before", -7, s_store_clamped)
attempt("store clamped, behind", 9, s_store_clamped)
attempt("forward mirror, inside", 1, s_forward_mirror)
attempt("forward mirror, before", -7, s_forward_mirror)
attempt("forward mirror, behind", 9, s_forward_mirror)
attempt("strided mirror, inside", 1, s_strided_mirror)
attempt("strided mirror, before", -7, s_strided_mirror)
attempt("strided mirror, behind", 9, s_strided_mirror)
attempt("backward mirror, inside", 1, s_backward_mirror)
attempt("backward mirror, before", -7, s_backward_mirror)
attempt("backward mirror, behind", 9, s_backward_mirror)
attempt("open mirror, inside", 1, s_open_mirror)
attempt("open mirror, before", -7, s_open_mirror)
attempt("open mirror, behind", 9, s_open_mirror)
attempt("list mirror, inside", 1, s_list_mirror)
attempt("list mirror, before", -7, s_list_mirror)
attempt("list mirror, behind", 9, s_list_mirror)
attempt("store mirror, inside", 1, s_store_mirror)
attempt("store mirror, before", -7, s_store_mirror)
attempt("store mirror, behind", 9, s_store_mirror)
attempt("forward circular, inside", 1, s_forward_circular)
attempt("forward circular, before", -7, s_forward_circular)
attempt("forward circular, behind", 9, s_forward_circular)
attempt("strided circular, inside", 1, s_strided_circular)
attempt("strided circular, before", -7, s_strided_circular)
attempt("strided circular, behind", 9, s_strided_circular)
attempt("backward circular, inside", 1, s_backward_circular)
attempt("backward circular, before", -7, s_backward_circular)
attempt("backward circular, behind", 9, s_backward_circular)
attempt("open circular, inside", 1, s_open_circular)
attempt("open circular, before", -7, s_open_circular)
attempt("open circular, behind", 9, s_open_circular)
attempt("list circular, inside", 1, s_list_circular)
attempt("list circular, before", -7, s_list_circular)
attempt("list circular, behind", 9, s_list_circular)
attempt("store circular, inside", 1, s_store_circular)
attempt("store circular, before", -7, s_store_circular)
attempt("store circular, behind", 9, s_store_circular)
% falls back: kernel 's_store_clamped'
% falls back: kernel 's_store_mirror'
% falls back: kernel 's_store_circular'
% out: forward safe, inside: [9, 9, 9, 9]
% out: forward safe, before: [0, 0, 0, 0]
% out: forward safe, behind: [0, 0, 0, 0]
% out: strided safe, inside: [6, 6, 6, 6]
% out: strided safe, before: [0, 0, 0, 0]
% out: strided safe, behind: [0, 0, 0, 0]
% out: backward safe, inside: [3, 3, 3, 3]
% out: backward safe, before: [0, 0, 0, 0]
% out: backward safe, behind: [0, 0, 0, 0]
% out: open safe, inside: [3, 3, 3, 3]
% out: open safe, before: [0, 0, 0, 0]
% out: open safe, behind: [15, 15, 15, 15]
% out: list safe, inside: [3, 3, 3, 3]
% out: list safe, before: [1, 1, 1, 1]
% out: list safe, behind: [1, 1, 1, 1]
% out: list safe, greatest: [1, 1, 1, 1]
% out: store safe, inside: [0, 5, 6, 0]
% out: store safe, before: [0, 0, 0, 0]
% out: store safe, behind: [0, 0, 0, 0]
% out: forward clamped, inside: [9, 9, 9, 9]
% out: forward clamped, before: [3, 3, 3, 3]
% out: forward clamped, behind: [15, 15, 15, 15]
% out: strided clamped, inside: [11, 11, 11, 11]
% out: strided clamped, before: [3, 3, 3, 3]
% out: strided clamped, behind: [15, 15, 15, 15]
% out: backward clamped, inside: [4, 4, 4, 4]
% out: backward clamped, before: [3, 3, 3, 3]
% out: backward clamped, behind: [15, 15, 15, 15]
% out: open clamped, inside: [3, 3, 3, 3]
% out: open clamped, before: [0, 0, 0, 0]
% out: open clamped, behind: [40, 40, 40, 40]
% out: list clamped, inside: [4, 4, 4, 4]
% out: list clamped, before: [7, 7, 7, 7]
% out: list clamped, behind: [7, 7, 7, 7]
% out: list clamped, greatest: [7, 7, 7, 7]
% out: store clamped, inside: [1, 1, 1, 1]
% out: store clamped, before: [6, 6, 6, 6]
% out: store clamped, behind: [1, 1, 1, 1]
% out: forward mirror, inside: [9, 9, 9, 9]
% out: forward mirror, before: [9, 9, 9, 9]
% out: forward mirror, behind: [9, 9, 9, 9]
% out: strided mirror, inside: [10, 10, 10, 10]
% out: strided mirror, before: [10, 10, 10, 10]
% out: strided mirror, behind: [10, 10, 10, 10]
% out: backward mirror, inside: [5, 5, 5, 5]
% out: backward mirror, before: [5, 5, 5, 5]
% out: backward mirror, behind: [5, 5, 5, 5]
% out: open mirror, inside: [3, 3, 3, 3]
% out: open mirror, before: [0, 0, 0, 0]
% out: open mirror, behind: [27, 27, 27, 27]
% out: list mirror, inside: [5, 5, 5, 5]
% out: list mirror, before: [5, 5, 5, 5]
% out: list mirror, behind: [5, 5, 5, 5]
% out: store mirror, inside: [1, 1, 1, 1]
% out: store mirror, before: [1, 1, 1, 1]
% out: store mirror, behind: [1, 1, 1, 1]
% out: forward circular, inside: [9, 9, 9, 9]
% out: forward circular, before: [10, 10, 10, 10]
% out: forward circular, behind: [8, 8, 8, 8]
% out: strided circular, inside: [7, 7, 7, 7]
% out: strided circular, before: [8, 8, 8, 8]
% out: strided circular, behind: [11, 11, 11, 11]
% out: backward circular, inside: [8, 8, 8, 8]
% out: backward circular, before: [9, 9, 9, 9]
% out: backward circular, behind: [12, 12, 12, 12]
% out: open circular, inside: [3, 3, 3, 3]
% out: open circular, before: [0, 0, 0, 0]
% out: open circular, behind: [30, 30, 30, 30]
% out: list circular, inside: [8, 8, 8, 8]
% out: list circular, before: [8, 8, 8, 8]
% out: list circular, behind: [8, 8, 8, 8]
% out: store circular, inside: [1, 1, 1, 1]
% out: store circular, before: [1, 1, 1, 1]
% out: store circular, behind: [6, 6, 6, 6]

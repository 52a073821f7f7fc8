% Products of indices and lengths that wrap, linear and position indices of matrices.
function [] = __kernel__ m_row(y : vec, x : mat, n : int, pos : int)
    y[pos] = x[n, 0]
endfunction
function [] = __kernel__ m_column(y : vec, x : mat, n : int, pos : int)
    y[pos] = x[0, n]
endfunction
function [] = __kernel__ m_linear(y : vec, x : mat, n : int, pos : int)
    y[pos] = x[n]
endfunction
function [] = __kernel__ m_position(y : vec, x : mat, n : int, pos : int)
    p = [n, pos]
    y[pos] = x[p]
endfunction
function [] = __kernel__ m_product(y : vec, x : mat, n : int, pos : int)
    y[pos] = x[mod(n * 65536, 3), mod(n * 65537, 3)]
endfunction
function [] = __kernel__ m_sum_of_products(y : vec, x : mat, n : int, pos : int)
    y[pos] = x[and(n * 3 + pos, 1), and(n * 5, 1)]
endfunction
function [] = __kernel__ m_below(y : vec, x : mat, n : int, pos : int)
    i = min(n, 2)
    y[pos] = x[i, i]
endfunction
function [] = __kernel__ m_third(y : vec, x : mat, n : int, pos : int)
    y[pos] = x[1, 1, n]
endfunction
function [] = attempt(what, n, k)
    y = zeros(4)
    try
        parallel_do(4, y, [[1,2,3],[4,5,6],[7,8,9]], n, k)
        print what, ": ", y
    catch ex
        print what, ": ", ex.message
    endtry
endfunction
attempt("row, inside", 1, m_row)
attempt("row, 65536", 65536, m_row)
attempt("row, least", minvalue(int), m_row)
attempt("row, greatest", maxvalue(int), m_row)
attempt("column, inside", 1, m_column)
attempt("column, 65536", 65536, m_column)
attempt("column, least", minvalue(int), m_column)
attempt("column, greatest", maxvalue(int), m_column)
attempt("linear, inside", 1, m_linear)
attempt("linear, 65536", 65536, m_linear)
attempt("linear, least", minvalue(int), m_linear)
attempt("linear, greatest", maxvalue(int), m_linear)
attempt("position, inside", 1, m_position)
attempt("position, 65536", 65536, m_position)
attempt("position, least", minvalue(int), m_position)
attempt("position, greatest", maxvalue(int), m_position)
attempt("product, inside", 1, m_product)
attempt("product, 65536", 65536, m_product)
attempt("product, least", minvalue(int), m_product)
attempt("product, greatest", maxvalue(int), m_product)
attempt("sum_of_products, inside", 1, m_sum_of_products)
attempt("sum_of_products, 65536", 65536, m_sum_of_products)
attempt("sum_of_products, least", minvalue(int), m_sum_of_products)
attempt("sum_of_products, greatest", maxvalue(int), m_sum_of_products)
attempt("below, inside", 1, m_below)
attempt("below, 65536", 65536, m_below)
attempt("below, least", minvalue(int), m_below)
attempt("below, greatest", maxvalue(int), m_below)
attempt("third, inside", 1, m_third)
attempt("third, 65536", 65536, m_third)
attempt("third, least", minvalue(int), m_third)
attempt("third, greatest", maxvalue(int), m_third)
% out: row, inside: [4, 4, 4, 4]
% out: row, 65536: [0, 0, 0, 0]
% out: row, least: [0, 0, 0, 0]
% out: row, greatest: [0, 0, 0, 0]
% out: column, inside: [2, 2, 2, 2]
% out: column, 65536: [0, 0, 0, 0]
% out: column, least: [0, 0, 0, 0]
% out: column, greatest: [0, 0, 0, 0]
% out: linear, inside: [2, 2, 2, 2]
% out: linear, 65536: [0, 0, 0, 0]
% out: linear, least: [0, 0, 0, 0]
% out: linear, greatest: [0, 0, 0, 0]
% out: position, inside: [4, 5, 6, 0]
% out: position, 65536: [0, 0, 0, 0]
% out: position, least: [0, 0, 0, 0]
% out: position, greatest: [0, 0, 0, 0]
% out: product, inside: [6, 6, 6, 6]
% out: product, 65536: [2, 2, 2, 2]
% out: product, least: [2, 2, 2, 2]
% out: product, greatest: [7, 7, 7, 7]
% out: sum_of_products, inside: [5, 2, 5, 2]
% out: sum_of_products, 65536: [1, 4, 1, 4]
% out: sum_of_products, least: [1, 4, 1, 4]
% out: sum_of_products, greatest: [5, 2, 5, 2]
% out: below, inside: [5, 5, 5, 5]
% out: below, 65536: [9, 9, 9, 9]
% out: below, least: [0, 0, 0, 0]
% out: below, greatest: [9, 9, 9, 9]
% out: third, inside: [0, 0, 0, 0]
% out: third, 65536: [0, 0, 0, 0]
% out: third, least: [0, 0, 0, 0]
% out: third, greatest: [0, 0, 0, 0]

% Sparse matrices as objects: compressed rows. Operators and built-in functions of an object call its methods of their names.

% a sparse matrix of m rows and n columns with the values v in rows i and columns j, those at one place added; of m and n alone an empty one, of a matrix alone its elements that are not 0. s*x, s+t, s-t and full, nnz, find, transpose, diag and solve(s,b) take it
% > s = sparse([0,1,1], [0,0,2], [1,2,3]); print full(s)
function s = sparse(i, j = [], v = [], m = -1, n = -1)
    if m < 0 && isempty(v) && isempty(j)
        s = _sparse_of(i)
    elseif m < 0 && isempty(v)
        s = _compressed([], [], [], i, j)
    else
        one = numel(v) == 1 && numel(i) > 1
        s = _compressed(i, j, one ? ones(1, numel(i)) .* sum(v) : v, m < 0 ? max(i) + 1 : m, n < 0 ? max(j) + 1 : n)
    endif
end

% a sparse matrix as a full one; what is full stays
% > print full(sparse([0,1], [1,0], [5,6]))
function y = full(x)
    y = type(x, "object") ? x.full() : x
end

function s = _sparse_of(x)
    [m, n] = [size(x, 0), size(x, 1)]
    count = 0
    [i, j, v] = [zeros(1, m * n), zeros(1, m * n), zeros(1, m * n)]
    {!serial for}
    for r = 0..m - 1
        {!serial for}
        for c = 0..n - 1
            if x[r, c] != 0
                [i[count], j[count], v[count]] = [r, c, x[r, c]]
                count += 1
            endif
        end
    end
    s = count == 0 ? _compressed([], [], [], m, n) : _compressed(i[0..count - 1], j[0..count - 1], v[0..count - 1], m, n)
end

% places in any order, perhaps several times the same, as compressed rows
function s = _compressed(i, j, v, m, n)
    count = numel(i)
    if numel(j) != count || numel(v) != count
        error "sparse: ", count, " rows, ", numel(j), " columns and ", numel(v), " values do not belong together"
    endif
    start = vec[int](int(m) + 1)
    if count == 0
        s = _sparse_object(int(m), int(n), start, vec[int](0), zeros(1, 0))
    else
        if min(i) < 0 || max(i) >= m || min(j) < 0 || max(j) >= n
            error "sparse: a place lies outside of ", m, "x", n
        endif
        % Stable sorting by columns and then by rows puts the places into the order of rows.
        [rows, columns, values] = [reshape(i, [1, count]), reshape(j, [1, count]), reshape(v, [1, count])]
        if count > 1
            [_, order] = sort(columns)
            [rows, columns, values] = [rows[order], columns[order], values[order]]
            [_, order] = sort(rows)
            [rows, columns, values] = [rows[order], columns[order], values[order]]
        endif
        kept = -1
        column = vec[int](count)
        value = zeros(1, count)
        [last_row, last_column] = [-1, -1]
        {!serial for}
        for k = 0..count - 1
            if rows[k] != last_row || columns[k] != last_column
                kept += 1
                [last_row, last_column] = [rows[k], columns[k]]
                column[kept] = int(columns[k])
                start[int(rows[k]) + 1] += 1
            endif
            value[kept] += values[k]
        end
        s = _sparse_object(int(m), int(n), cumsum(start), column[0..kept], value[0..kept])
    endif
end

% start: where each row begins among the columns and values
function s = _sparse_object(m, n, start, column, value)
    s = object()
    s.rows = m
    s.columns = n
    s.start = start
    s.column = column
    s.value = value
    s.nnz = () -> sum(value != 0)
    s.full = () -> _sparse_full(s)
    s.transpose = () -> _compressed(column, _sparse_rows(s), value, n, m)
    s.mtimes = x -> _sparse_times(s, x)
    s.plus = x -> _sparse_sum(s, x, 1)
    s.minus = x -> _sparse_sum(s, x, -1)
    s.solve = b -> _sparse_solve(s, b)
    s.mldivide = b -> _sparse_solve(s, b)
    s.diag = () -> _sparse_diagonal(s)
    s.sum = (...d) -> numel(d) == 0 ? sum(value) : _sparse_sums(s, d[0])
    s.kron = x -> _sparse_kron(s, x)
    s.size = (...d) -> numel(d) == 0 ? [m, n] : [m, n, 1][min(d[0], 2)]
    % rows, columns and values, row by row
    function [i, j, v] = found()
        [i, j, v] = [_sparse_rows(s), column, value]
    end
    s.find = found
end

% the row of every value
function i = _sparse_rows(s)
    i = vec[int](numel(s.value))
    start = s.start
    {!serial for}
    for r = 0..s.rows - 1
        for k = start[r]..start[r + 1] - 1
            i[k] = r
        end
    end
end

% the sums of the columns (dim 0) as a row, or of the rows (dim 1) as a column
function y = _sparse_sums(s, dim)
    [m, n] = [dim == 0 ? 1 : s.rows, dim == 0 ? s.columns : 1]
    y = zeros(m, n)
    [row, column, value] = [_sparse_rows(s), s.column, s.value]
    {!serial for}
    for k = 0..numel(value) - 1
        y[dim == 0 ? 0 : row[k], dim == 0 ? column[k] : 0] += value[k]
    end
end

% the product of each value with a whole matrix, sparse or full
function y = _sparse_kron(s, x)
    t = type(x, "object") ? x : _sparse_of(x)
    [p, q] = [numel(s.value), numel(t.value)]
    [i, j, v] = [zeros(1, p * q), zeros(1, p * q), zeros(1, p * q)]
    [above, below] = [_sparse_rows(s), _sparse_rows(t)]
    {!serial for}
    for k = 0..p - 1
        at = k * q..k * q + q - 1
        i[at] = above[k] * t.rows + below
        j[at] = s.column[k] * t.columns + t.column
        v[at] = s.value[k] .* t.value
    end
    y = _compressed(i, j, v, s.rows * t.rows, s.columns * t.columns)
end

function x = _sparse_full(s)
    x = zeros(s.rows, s.columns)
    [i, column, value] = [_sparse_rows(s), s.column, s.value]
    {!serial for}
    for k = 0..numel(value) - 1
        x[i[k], column[k]] = value[k]
    end
end

function d = _sparse_diagonal(s)
    d = zeros(1, min(s.rows, s.columns))
    [i, column, value] = [_sparse_rows(s), s.column, s.value]
    {!serial for}
    for k = 0..numel(value) - 1
        if i[k] == column[k]
            d[i[k]] = value[k]
        endif
    end
end

% the product with a vector, which counts as a column and gives one of the same form, a matrix, or another sparse matrix
function y = _sparse_times(s, x)
    if type(x, "object")
        y = _sparse_product(s, x)
    elseif numel(x) == 1 && s.columns != 1
        y = _sparse_object(s.rows, s.columns, s.start, s.column, s.value .* sum(x))
    elseif size(x, 0) == 1 && s.columns != 1
        if numel(x) != s.columns
            error "sparse: a matrix of ", s.rows, "x", s.columns, " times a vector of ", numel(x), " elements"
        endif
        y = _sparse_vector(s.rows, s.start, s.column, s.value, reshape(x, [1, numel(x)]))
    else
        if size(x, 0) != s.columns
            error "sparse: a matrix of ", s.rows, "x", s.columns, " times one of ", size(x, 0), "x", size(x, 1)
        endif
        y = zeros(s.rows, size(x, 1))
        {!serial for}
        for c = 0..size(x, 1) - 1
            one = _sparse_vector(s.rows, s.start, s.column, s.value, reshape(x[:, c], [1, s.columns]))
            y[:, c] = reshape(one, [s.rows, 1])
        end
    endif
end

function y = _sparse_vector(m : int, start : vec[int], column : vec[int], value : vec, x : vec)
    y = zeros(1, m)
    for r = 0..m - 1
        sum = 0.0
        for k = start[r]..start[r + 1] - 1
            sum += value[k] * x[column[k]]
        end
        y[r] = sum
    end
end

% s + sign*x; a full matrix makes the sum full
function y = _sparse_sum(s, x, sign)
    if type(x, "object")
        if x.rows != s.rows || x.columns != s.columns
            error "sparse: a matrix of ", s.rows, "x", s.columns, " and one of ", x.rows, "x", x.columns
        endif
        [i, j] = [horzcat(_sparse_rows(s), _sparse_rows(x)), horzcat(s.column, x.column)]
        y = _compressed(i, j, horzcat(s.value, sign .* x.value), s.rows, s.columns)
    else
        y = _sparse_full(s) + sign .* x
    endif
end

% every value of the left matrix times the row of the right one that its column names
function y = _sparse_product(s, x)
    if x.rows != s.columns
        error "sparse: a matrix of ", s.rows, "x", s.columns, " times one of ", x.rows, "x", x.columns
    endif
    [left, column, value] = [_sparse_rows(s), s.column, s.value]
    [start, right, weight] = [x.start, x.column, x.value]
    total = 0
    {!serial for}
    for k = 0..numel(value) - 1
        total += start[column[k] + 1] - start[column[k]]
    end
    [i, j, v] = [vec[int](total), vec[int](total), zeros(1, total)]
    n = 0
    {!serial for}
    for k = 0..numel(value) - 1
        {!serial for}
        for at = start[column[k]]..start[column[k] + 1] - 1
            i[n] = left[k]
            j[n] = right[at]
            v[n] = value[k] * weight[at]
            n += 1
        end
    end
    y = _compressed(i, j, v, s.rows, x.columns)
end

% x with s*x = b: small systems by elimination of the full matrix, large ones by conjugate gradients if the matrix is symmetric and
% positive, or else by sparse elimination
function x = _sparse_solve(s, b)
    if s.rows != s.columns || numel(b) != s.rows
        error "sparse: a matrix of ", s.rows, "x", s.columns, " and a right side of ", numel(b), " elements"
    endif
    right = reshape(b, [1, numel(b)])
    x = []
    if s.rows <= 100
        x = solve(_sparse_full(s), reshape(right, [s.rows, 1]))
    elseif _symmetric(s)
        d = _sparse_diagonal(s)
        x = min(d) > 0 ? _conjugate_gradients(s, right, d) : []
    endif
    if isempty(x)
        x = csr_solve(s.start, s.column, s.value, right)
    endif
    x = reshape(x, size(b))
end

function y = _symmetric(s)
    t = s.transpose()
    y = 0
    if numel(t.value) == numel(s.value)
        y = max(abs(t.column - s.column)) == 0 && max(abs(t.value - s.value)) == 0
    endif
end

% [] if the matrix turns out not to be positive, or nothing gets better
function x = _conjugate_gradients(s, b, d)
    x = zeros(1, numel(b))
    r = b
    z = r ./ d
    p = z
    rz = dotprod(r, z)
    [k, most, small] = [0, 10 * numel(b) + 100, 8 * eps * sqrt(dotprod(b, b))]
    while sqrt(dotprod(r, r)) > small && k < most
        q = s.mtimes(p)
        pq = dotprod(p, q)
        if !(pq > 0)
            x = []
            break
        endif
        step = rz / pq
        x = x + step .* p
        r = r - step .* q
        z = r ./ d
        next = dotprod(r, z)
        p = z + (next / rz) .* p
        rz = next
        k += 1
    end
    if !isempty(x)
        if _far(s, x, b)
            x = []
        endif
    endif
end

% whether the residual is too large for a solution
function y = _far(s, x, b)
    r = b - s.mtimes(x)
    y = !(sqrt(dotprod(r, r)) <= 0.001 * sqrt(dotprod(b, b)))
end

% the sparse identity of n rows, or of m rows and n columns
% > print full(speye(2))
function s = speye(m, n = -1)
    k = min(m, n < 0 ? m : n)
    s = sparse(0..k - 1, 0..k - 1, ones(1, k), m, n < 0 ? m : n)
end

% a sparse matrix of m rows and n columns with the columns of b on the diagonals d: element k,c of b stands in column k
% > print full(spdiags(ones(3,1) * [1,2,1], [-1,0,1], 3, 3))
function s = spdiags(b, d, m, n)
    count = 0
    [i, j, v] = [zeros(1, numel(b)), zeros(1, numel(b)), zeros(1, numel(b))]
    {!serial for}
    for c = 0..numel(d) - 1
        {!serial for}
        for k = 0..min(size(b, 0), n) - 1
            r = k - d[c]
            if r >= 0 && r < m && b[k, c] != 0
                [i[count], j[count], v[count]] = [r, k, b[k, c]]
                count += 1
            endif
        end
    end
    s = count == 0 ? sparse(m, n) : sparse(i[0..count - 1], j[0..count - 1], v[0..count - 1], m, n)
end

% 1 for sparse matrices
% > print issparse(speye(2)), issparse(eye(2))
function y = issparse(x)
    y = type(x, "object") ? isfield(x, "start") : 0
end

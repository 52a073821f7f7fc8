% Matrices of special forms, arrays put together, sums in moving windows, splines.

% arrays put together along a dimension: 0 one below the other, 1 side by side, 2 as layers
% > print cat(0, [1,2], [3,4])
function y = cat(dim, a, b = [], c = [], d = [], e = [], f = [], g = [], h = [], k = [], l = [], m = [], n = [])
    parts = {a, b, c, d, e, f, g, h, k, l, m, n}
    y = a
    {!serial for}
    for i=1..numel(parts)-1
        y = _joined(dim, y, parts[i])
    end
end

% two arrays put together along a dimension; an empty one does not count
function y = _joined(dim, a, b)
    if numel(b) == 0 || numel(a) == 0
        y = numel(b) == 0 ? a : b
    elseif dim == 0
        y = vertcat(a, b)
    elseif dim == 1
        y = horzcat(a, b)
    else
        y = _layers(a, b)
    endif
end

% the layers of one array, then those of another
function y = _layers(a, b)
    assert(size(a, 0) == size(b, 0) && size(a, 1) == size(b, 1), "cat: the layers differ in size")
    p = size(a, 2)
    y = zeros(size(a, 0), size(a, 1), p + size(b, 2))
    y = iscomplex(a) || iscomplex(b) ? y + 0i : y
    y[:,:,0..p-1] = reshape(a, [size(a, 0), size(a, 1), p])
    y[:,:,p..size(y,2)-1] = reshape(b, [size(a, 0), size(a, 1), size(b, 2)])
end

% where elements (i,j) or (i,j,k) of an array of a size stand in the order of memory, counted from 0
% > print sub2ind([3,4], 1, 2)
function n = sub2ind(extent, i, j, k = 0)
    n = numel(extent) > 2 ? (i .* extent[1] + j) .* extent[2] + k : i .* extent[1] + j
end

% rows and columns (and layers) of the elements that stand at n in the order of memory; all counted from 0
% > [i, j] = ind2sub([3,4], 6); print i, " ", j
function [i, j, k] = ind2sub(extent, n)
    m = int(n)
    layers = numel(extent) > 2 ? int(extent[2]) : 1
    k = mod(m, layers)
    rest = idivide(m - k, layers)
    j = mod(rest, int(extent[1]))
    i = idivide(rest - j, int(extent[1]))
end

% the matrix of the powers of the elements of v, highest first
% > print vander([1,2,3])
function y = vander(v)
    n = numel(v)
    y = zeros(n, n)
    y = iscomplex(v) ? y + 0i : y
    {!serial for}
    for k=0..n-1
        y[:,k] = reshape(v, [n, 1]) .^ (n - 1 - k)
    end
end

% the matrix with constant diagonals of this first column and row; with one vector it is symmetric
% > print toeplitz([1,2,3])
function y = toeplitz(c, r = [])
    row = numel(r) > 0 ? r : conj(c)
    y = zeros(numel(c), numel(row)) + (iscomplex(c) ? 0i : 0)
    for m=0..numel(c)-1
        for n=0..numel(row)-1
            y[m,n] = m >= n ? c[m-n] : row[n-m]
        end
    end
end

% the matrix with constant antidiagonals of this first column and last row (zeros if it is left out)
% > print hankel([1,2,3])
function y = hankel(c, r = [])
    row = numel(r) > 0 ? r : 0 .* c
    m = numel(c)
    y = zeros(m, numel(row)) + (iscomplex(c) ? 0i : 0)
    for i=0..m-1
        for j=0..numel(row)-1
            y[i,j] = i + j < m ? c[i+j] : row[i+j-m+1]
        end
    end
end

% the matrix of 1/(i+j+1)
% > print hilb(2)
function y = hilb(n)
    y = zeros(n, n)
    for i=0..n-1
        for j=0..n-1
            y[i,j] = 1 / (i + j + 1.0)
        end
    end
end

% a magic square of n rows, n at least 3: all rows, columns and diagonals have the same sum
% > print magic(3)
function y = magic(n)
    assert(n > 2 || n == 1, "magic squares have 1 row, or 3 and more")
    y = zeros(n, n)
    if mod(n, 2) == 1
        for i=0..n-1
            for j=0..n-1
                y[i,j] = n * mod(i + j + 2 - idivide(n + 3, 2), n) + mod(i + 2 * j + 1, n) + 1
            end
        end
    elseif mod(n, 4) == 0
        for i=0..n-1
            for j=0..n-1
                v = i * n + j + 1
                y[i,j] = mod(idivide(i + 1, 2), 2) == mod(idivide(j + 1, 2), 2) ? n * n + 1 - v : v
            end
        end
    else
        y = _magic_of_quarters(n)
    endif
end

% a magic square of 6, 10, 14 ... rows from one of half as many
function y = _magic_of_quarters(n)
    p = idivide(n, 2)
    m = magic(p)
    y = zeros(n, n)
    k = idivide(n - 2, 4)
    y[0..p-1,0..p-1] = m
    y[p..n-1,p..n-1] = m + p * p
    y[0..p-1,p..n-1] = m + 2 * p * p
    y[p..n-1,0..p-1] = m + 3 * p * p
    {!serial for}
    for i=0..p-1
        {!serial for}
        for j=0..n-1
            left = j < k && i != k || j > 0 && j <= k && i == k
            if left || j > n - k
                t = y[i,j]
                y[i,j] = y[i+p,j]
                y[i+p,j] = t
            endif
        end
    end
end

% matrices along the diagonal of one that is 0 elsewhere
% > print blkdiag([1,2], [3])
function y = blkdiag(a, b)
    y = zeros(size(a, 0) + size(b, 0), size(a, 1) + size(b, 1)) + (iscomplex(a) || iscomplex(b) ? 0i : 0)
    y[0..size(a,0)-1,0..size(a,1)-1] = a
    y[size(a,0)..size(y,0)-1,size(a,1)..size(y,1)-1] = b
end

% the matrix whose eigenvalues are the zeros of the polynomial p
% > print compan([1,-3,2])
function y = compan(p)
    n = numel(p) - 1
    y = zeros(n, n)
    y[0,:] = -p[1..n] ./ p[0]
    for k=1..n-1
        y[k,k-1] = 1
    end
end

% the solution x of a*x = b; of more equations than unknowns the one with the least squares
% > print linsolve([[2,0],[0,4]], [[2],[8]])
function x = linsolve(a, b)
    x = size(a, 0) == size(a, 1) ? inv(a) * b : pinv(a) * b
end

% all orders of the elements of a vector, one per row
% > print perms([1,2,3])
function y = perms(v)
    n = numel(v)
    assert(n < 11, "perms: more than 10 elements have too many orders")
    y = zeros(int(round(factorial(n))), n)
    for row=0..size(y,0)-1
        rest = row
        left = copy(reshape(v, [1, n]))
        {!serial for}
        for k=0..n-1
            count = 1
            {!serial for}
            for f=2..n-1-k
                count *= f
            end
            at = n - 1 - k - int(rest / count)
            rest = mod(rest, count)
            y[row,k] = left[at]
            {!serial for}
            for m=at..n-2-k
                left[m] = left[m+1]
            end
        end
    end
end

% 1 if no element of a vector is less than the one before it
% > print issorted([1,2,2])
function y = issorted(v)
    y = numel(v) < 2 || all(diff(reshape(v, [1, numel(v)])) >= 0)
end

% numbers of elements between edges, which ascend: each from one edge to before the next, the last with its upper edge
% > print histcounts([1,2,2,5], [0,2,4,6])
function n = histcounts(x, edges)
    v = reshape(x, [1, numel(x)])
    n = zeros(max(numel(edges) - 1, 0))
    for k=0..numel(n)-1
        last = k == numel(n) - 1
        c = 0
        {!serial for}
        for i=0..numel(v)-1
            if v[i] >= edges[k] && (v[i] < edges[k+1] || last && v[i] == edges[k+1])
                c += 1
            endif
        end
        n[k] = c
    end
end

% the places before and after each element of a window of k elements
function [before, after] = _window_of(k)
    if numel(k) > 1
        before = int(k[0])
        after = int(k[1])
    else
        before = idivide(int(k), 2)
        after = int(k) - 1 - before
    endif
end

% sums of k neighbouring elements of a vector, of fewer at its ends; k = [a,b]: a before and b after each element
% > print movsum([1,2,3,4], 3)
function y = movsum(x, k)
    [before, after] = _window_of(k)
    y = 0.0 .* x
    n = numel(x)
    for i=0..n-1
        s = 0.0
        {!serial for}
        for j=max(i-before,0)..min(i+after,n-1)
            s += x[j]
        end
        y[i] = s
    end
end

% least of k neighbouring elements of a vector; windows as for movsum
% > print movmin([1,5,3,4], 3)
function y = movmin(x, k)
    y = -movmax(-x, k)
end

% greatest of k neighbouring elements of a vector; windows as for movsum
% > print movmax([1,5,3,4], 3)
function y = movmax(x, k)
    [before, after] = _window_of(k)
    y = 0.0 .* x
    n = numel(x)
    for i=0..n-1
        s = x[i]
        {!serial for}
        for j=max(i-before,0)..min(i+after,n-1)
            s = max(s, x[j])
        end
        y[i] = s
    end
end

% median of k neighbouring elements of a vector; windows as for movsum
% > print movmedian([1,9,3,4], 3)
function y = movmedian(x, k)
    [before, after] = _window_of(k)
    y = 0.0 .* x
    n = numel(x)
    {!serial for}
    for i=0..n-1
        y[i] = median(x[max(i-before,0)..min(i+after,n-1)])
    end
end

% standard deviation of k neighbouring elements of a vector, divided by one less than they are; windows as for movsum
% > print movstd([1,5,3,4,2], 3)
function y = movstd(x, k)
    y = sqrt(movvar(x, k))
end

% variance of k neighbouring elements of a vector, divided by one less than they are; windows as for movsum
% > print movvar([1,5,3,4,2], 3)
function y = movvar(x, k)
    [before, after] = _window_of(k)
    y = 0.0 .* real(x)
    n = numel(x)
    {!serial for}
    for i=0..n-1
        part = x[max(i-before,0)..min(i+after,n-1)]
        y[i] = numel(part) > 1 ? sum(abs(part - mean(part)).^2) / (numel(part) - 1) : 0.0
    end
end

% digits of a whole number to the base 2, at least n of them; of an array a cell of texts of one length
% > print dec2bin(5, 8)
function s = dec2bin(x, n = 1)
    if numel(x) > 1
        list = reshape(x, [1, numel(x)])
        digits = max(n, strlen(_binary_digits(max(list), 1)))
        s = cell(numel(x))
        {!serial for}
        for k = 0..numel(x)-1
            s[k] = _binary_digits(list[k], digits)
        end
    else
        s = _binary_digits(x, n)
    endif
end

function s = _binary_digits(x, n)
    s = ""
    v = int(x)
    {!serial for}
    while v > 0 || strlen(s) < n
        s = (mod(v, 2) == 1 ? "1" : "0") + s
        v = idivide(v - mod(v, 2), 2)
    end
end

% the whole number that digits to the base 2 stand for
% > print bin2dec("101")
function v = bin2dec(s)
    v = 0
    {!serial for}
    for k=0..strlen(s)-1
        v = 2 * v + (s[k] == "1" ? 1 : 0)
    end
end

% matrix with rows and columns exchanged, and conjugated
% > print ctranspose([1+2j, 3])
function y = ctranspose(x)
    y = iscomplex(x) ? conj(transpose(x)) : transpose(x)
end

% the matrix whose product with n numbers is their convolution with h: a vector h has them before the matrix, as a row, a column behind it
% > print convmtx([1,2], 2)
function y = convmtx(h, n)
    m = numel(h)
    y = zeros(n, n + m - 1) + (iscomplex(h) ? 0i : 0)
    {!serial for}
    for k = 0..n-1
        y[k,k..k+m-1] = reshape(h, [1, m])
    end
    y = size(h, 0) > 1 ? transpose(y) : y
end

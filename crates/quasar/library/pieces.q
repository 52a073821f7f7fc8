% What programs of MATLAB ask of arrays and texts beside the language's own functions.

% the norm of every column, or along a dimension
% > print vecnorm([[3,0],[4,2]])
function y = vecnorm(x, p = 2, dim = -1)
    d = dim >= 0 ? dim : size(x, 0) == 1 ? 1 : 0
    v = abs(x)
    if isinf(p)
        y = max(v, [], d)
    elseif p == 2
        y = sqrt(sum(v.^2, d))
    else
        y = sum(v.^p, d).^(1.0 / p)
    endif
end

% every element n times, or as often as the list n says, one copy behind the other; of a matrix rows n and columns m times
% > print repelem([1,2], 2)
function y = repelem(x, n, m = -1)
    if m < 0
        counts = numel(n) == 1 ? n .* ones(1, numel(x)) : n
        at = _copies(counts)
        y = size(x, 1) == 1 && size(x, 0) > 1 ? reshape(x[at, 0], [numel(at), 1]) : x[at]
    else
        rows = _copies(numel(n) == 1 ? n .* ones(1, size(x, 0)) : n)
        columns = _copies(numel(m) == 1 ? m .* ones(1, size(x, 1)) : m)
        y = reshape(x[rows, columns], [numel(rows), numel(columns)])
    endif
end

function at = _copies(counts)
    at = int(zeros(1, sum(counts)))
    k = 0
    {!serial for}
    for j = 0..numel(counts) - 1
        {!serial for}
        for c = 1..counts[j]
            at[k] = j
            k += 1
        end
    end
end

% the elements that are not 0, as a list
% > print nonzeros([[0,2],[3,0]])
function y = nonzeros(x)
    v = reshape(full(x), [1, numel(x)])
    y = v[v != 0]
end

% 1 if a matrix is its own transpose
% > print issymmetric([[1,2],[2,1]])
function y = issymmetric(x)
    y = size(x, 2) == 1 && size(x, 0) == size(x, 1) && all(x == transpose(x)) ? 1 : 0
end

% 1 if a matrix is its own transpose, conjugated
% > print ishermitian([[1,1j],[-1j,1]])
function y = ishermitian(x)
    y = size(x, 2) == 1 && size(x, 0) == size(x, 1) && all(abs(x - conj(transpose(x))) == 0) ? 1 : 0
end

% 1 if only the diagonal of a matrix has elements that are not 0
% > print isdiag(eye(3))
function y = isdiag(x)
    y = size(x, 2) == 1 && all(abs(x - x .* eye(size(x, 0), size(x, 1))) == 0) ? 1 : 0
end

% a function of two arrays, which are made as large as each other
% > print bsxfun((a, b) -> a - b, [[1,2],[3,4]], [1,1])
function y = bsxfun(f, a, b)
    y = f(a, b)
end

% the interval, from 0 on, in which each number lies, of those between edges; nan outside
% > print discretize([0.5,2.5,9], [0,1,2,3])
function y = discretize(x, edges)
    y = nan .* ones(size(x))
    last = numel(edges) - 2
    {!serial for}
    for k = 0..last
        inside = (x >= edges[k]) .* (k == last ? x <= edges[k + 1] : x < edges[k + 1])
        y[inside > 0] = k
    end
end

% for every row of y the number of the nearest row of x, or of the k nearest, and the distances
% > print knnsearch([[0,0],[5,5]], [[4,4]])
function [at, distance] = knnsearch(x, y, ...options)
    k = 1
    {!serial for}
    for j = 0..2..numel(options) - 2
        if lower(options[j]) == "k"
            k = options[j + 1]
        endif
    end
    d = pdist2(y, x)
    at = zeros(size(y, 0), k)
    distance = zeros(size(y, 0), k)
    {!serial for}
    for j = 0..size(y, 0) - 1
        [v, order] = sort(reshape(d[j, :], [1, size(x, 0)]))
        at[j, :] = order[0..k - 1]
        distance[j, :] = v[0..k - 1]
    end
end

% squares of Mahalanobis's distance of the rows of y from the rows of x
% > print mahal([[0,0]], [[1,0],[-1,0],[0,1],[0,-1]])
function d = mahal(y, x)
    middle = mean(x, 0)
    c = cov(x)
    apart = y - middle
    d = reshape(sum(transpose(apart) .* solve(c, transpose(apart)), 0), [size(y, 0), 1])
end

% the beginning of a text up to one of the characters in delimiters, and the rest
% > [word, rest] = strtok("left right"); print word
function [token, rest] = strtok(text, delimiters = " ")
    n = strlen(text)
    first = 0
    while first < n && _one_of(text[first], delimiters)
        first += 1
    end
    last = first
    while last < n && !_one_of(text[last], delimiters)
        last += 1
    end
    token = last > first ? text[first..last - 1] : ""
    rest = last < n ? text[last..n - 1] : ""
end

function y = _one_of(c, list)
    y = 0
    {!serial for}
    for k = 0..strlen(list) - 1
        y = list[k] == c ? 1 : y
    end
end

% a text without blanks at its end
% > print deblank("text  ") + "."
function y = deblank(text)
    n = strlen(text)
    while n > 0 && text[n - 1] == " "
        n = n - 1
    end
    y = n > 0 ? text[0..n - 1] : ""
end

% where a text contains another one, as strfind
% > print findstr("banana", "an")
function at = findstr(a, b)
    at = strlen(a) >= strlen(b) ? strfind(a, b) : strfind(b, a)
end

% the text of character codes, or the text itself
% > print char([72,105])
function s = char(x)
    s = isstring(x) ? x : toascii(x)
end

% a number as text, or the text itself
% > print string(2.5)
function s = string(x)
    s = isstring(x) ? x : num2str(x)
end

% a cell of texts, of one text or a cell
% > print cellstr("one")
function c = cellstr(x)
    c = iscell(x) ? x : {x}
end

% 1 if x is a real or complex number or array in floating point
% > print isfloat(2.5), isfloat(2)
function y = isfloat(x)
    y = isnumeric(x) && !_is_whole(x) ? 1 : 0
end

function y = _is_whole(x)
    y = strfind(type(x), "int") >= 0
end

% 1 if x is of the kind that a word of MATLAB names: "numeric", "float", "integer", "char", "cell", "struct", "logical", "function_handle"
% > print isa(3.5, "float")
function y = isa(x, kind)
    match kind with
    | "numeric" -> y = isnumeric(x)
    | ("float", "double", "single") -> y = isfloat(x)
    | "integer" -> y = isnumeric(x) && _is_whole(x) ? 1 : 0
    | ("char", "string") -> y = ischar(x)
    | "cell" -> y = iscell(x)
    | "struct" -> y = isstruct(x)
    | "logical" -> y = islogical(x)
    | "function_handle" -> y = type(x) == "function" ? 1 : 0
    | _ -> y = type(x) == kind ? 1 : 0
    end
end

% the digits of whole numbers in base 2 or p, the lowest one first, one number a row
% > print de2bi(6)
function b = de2bi(x, n = 0, p = 2)
    v = reshape(x, [numel(x), 1])
    digits = n > 0 ? n : int(max(floor(log(max(max(v), 1)) / log(p) + 1e-9) + 1, 1))
    b = mod(floor(v ./ (1.0 * p).^(0..digits - 1)), p)
end

% the numbers of whose digits de2bi gave a row each
% > print bi2de([[0,1,1]])
function x = bi2de(b, p = 2)
    x = sum(b .* (1.0 * p).^(0..size(b, 1) - 1), 1)
end

% the chance that a normal variable lies above x
% > print qfunc(0)
function y = qfunc(x)
    y = erfc(x ./ sqrt(2.0)) ./ 2
end

% where the chance of qfunc is p
% > print round(qfuncinv(0.1) .* 100)
function x = qfuncinv(p)
    x = sqrt(2.0) .* erfinv(1 - 2 .* p)
end

% how many bits of two arrays differ, and which part of all
% > print biterr([1,2,3], [1,0,3])
function [n, ratio] = biterr(a, b)
    digits = max(floor(log2(max(max(horzcat(reshape(a, [1, numel(a)]), reshape(b, [1, numel(b)]))), 1))) + 1, 1)
    n = 0
    {!serial for}
    for k = 0..digits - 1
        n += sum(mod(floor(a ./ 2.0^k), 2) != mod(floor(b ./ 2.0^k), 2))
    end
    ratio = n / (numel(a) * digits)
end

% how many elements of two arrays differ, and which part of all
% > print symerr([1,2,3], [1,0,3])
function [n, ratio] = symerr(a, b)
    n = sum(a != b)
    ratio = n / numel(a)
end

% the numbers 0 to m-1 as points of a circle, the first one at the angle phase
% > print round(real(pskmod([0,1,2,3], 4)))
function y = pskmod(x, m, phase = 0)
    y = exp(1j .* (2 * pi .* x ./ m + phase))
end

% the numbers of the points of a circle that are next, as pskmod made them
% > print pskdemod(pskmod([0,1,2,3], 4), 4)
function x = pskdemod(y, m, phase = 0)
    x = mod(round((angle(y) - phase) .* m ./ (2 * pi)), m)
end

% points of a square of m = 4, 16, 64 … points for the numbers 0 to m-1; neighbours differ in one bit
% > print qammod([0,1,2,3], 4)
function y = qammod(x, m)
    side = round(sqrt(1.0 * m))
    [column, row] = {_gray(floor(x ./ side)), _gray(mod(x, side))}
    y = complex(2 .* column - side + 1, side - 1 - 2 .* row)
end

% the numbers of the points of a square that are next, as qammod made them
% > print qamdemod(qammod([0,1,2,3], 4), 4)
function x = qamdemod(y, m)
    side = round(sqrt(1.0 * m))
    column = min(max(round((real(y) + side - 1) ./ 2), 0), side - 1)
    row = min(max(round((side - 1 - imag(y)) ./ 2), 0), side - 1)
    x = _to_gray(column) .* side + _to_gray(row)
end

% the place of a code among Gray's codes, and the code at a place
function y = _gray(x)
    y = x
    {!serial for}
    for k = 1..10
        y = bitxor(y, floor(x ./ 2.0^k))
    end
end

function y = _to_gray(x)
    y = bitxor(x, floor(x ./ 2.0))
end

% white noise of so many decibels, with m rows and n columns
% > seed(1); print size(wgn(2, 3, 0))
function y = wgn(m, n, power)
    y = 10.0^(power / 20.0) .* randn(m, n)
end

% a raised cosine of roll-off beta over span symbols of sps samples each, by default its root; the energy is 1
% > print numel(rcosdesign(0.25, 4, 3))
function h = rcosdesign(beta, span, sps, shape = "sqrt")
    t = (-(span * sps) / 2.0..span * sps / 2.0) ./ sps
    if shape == "normal"
        bottom = 1 - (2 * beta .* t).^2
        near = abs(bottom) < 1e-6
        h = sinc(t) .* cos(pi * beta .* t) ./ (bottom + near)
        h = h .* (1 - near) + near .* (beta / 2 * sin(pi / (2 * beta)))
    else
        bottom = pi .* t .* (1 - (4 * beta .* t).^2)
        near = abs(bottom) < 1e-6
        h = (sin(pi .* t .* (1 - beta)) + 4 * beta .* t .* cos(pi .* t .* (1 + beta))) ./ (bottom + near)
        middle = abs(t) < 1e-6
        edge = beta / sqrt(2.0) * ((1 + 2 / pi) * sin(pi / (4 * beta)) + (1 - 2 / pi) * cos(pi / (4 * beta)))
        h = h .* (1 - near) + middle .* (1 - beta + 4 * beta / pi) + (near - middle) .* edge
    endif
    h = h ./ sqrt(sum(h.^2))
end

% the sine of pi times x, exact at whole and half numbers
% > print sinpi([0.5,1])
function y = sinpi(x)
    r = mod(x, 2)
    y = sin(pi .* r) .* (mod(r, 1) != 0)
end

% the cosine of pi times x, exact at whole and half numbers
% > print cospi([0.5,1])
function y = cospi(x)
    y = sinpi(x + 0.5)
end

% shows a value with nothing before it, like disp
% > display([1,2])
function [] = display(x)
    disp(x)
end

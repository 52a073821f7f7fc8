% Objects, cells and texts taken apart and put together, and the operators as functions.

% f of every field of an object: a column of numbers, or with "UniformOutput", false an object with the results
% > print structfun(x -> 2*x, struct("a",1,"b",2))
function r = structfun(f, s, ...options)
    names = fieldnames(s)
    n = numel(names)
    if numel(options) > 1 && !options[1]
        r = object()
        {!serial for}
        for k = 0..n - 1
            r = setfield(r, names[k], f(getfield(s, names[k])))
        end
    else
        r = zeros(n, 1)
        {!serial for}
        for k = 0..n - 1
            r[k,0] = f(getfield(s, names[k]))
        end
    endif
end

% the object with its fields in the order of their names
% > print fieldnames(orderfields(struct("b",1,"a",2)))
function r = orderfields(s)
    names = sort(fieldnames(s))
    r = object()
    {!serial for}
    for k = 0..numel(names) - 1
        r = setfield(r, names[k], getfield(s, names[k]))
    end
end

% a matrix cut into pieces of so many rows and columns, as a cell
% > print mat2cell([1,2,3,4], 1, [2,2])
function c = mat2cell(x, heights, widths = [])
    w = numel(widths) == 0 && ndims(widths) > 0 ? [size(x, 1)] : horzcat(widths)
    h = horzcat(heights)
    assert(sum(h) == size(x, 0) && sum(w) == size(x, 1), "mat2cell: the lengths have to make up those of the matrix")
    c = cell(numel(h), numel(w))
    top = 0
    {!serial for}
    for i = 0..numel(h) - 1
        left = 0
        {!serial for}
        for j = 0..numel(w) - 1
            c[i,j] = x[top..top + int(h[i]) - 1, left..left + int(w[j]) - 1]
            left += int(w[j])
        end
        top += int(h[i])
    end
end

% whether a value is a cell with nothing but texts
% > print iscellstr({"a","b"}), iscellstr({1})
function y = iscellstr(c)
    y = iscell(c) ? 1 : 0
    if y
        {!serial for}
        for k = 0..numel(c) - 1
            y = y && ischar(c[k]) ? 1 : 0
        end
    endif
end

% 1 for every character of a text that is of a kind: "alpha", "digit", "alphanum", "upper", "lower", "wspace" or "punct"
% > print isstrprop("a1 B", "digit")
function y = isstrprop(s, kind)
    c = fromascii(s)
    y = zeros(1, numel(c))
    for k = 0..numel(c) - 1
        x = c[k]
        upper_ = x >= 65 && x <= 90
        lower_ = x >= 97 && x <= 122
        digit = x >= 48 && x <= 57
        blank = x == 32 || x >= 9 && x <= 13
        match kind with
        | "alpha" -> v = upper_ || lower_
        | "digit" -> v = digit
        | "alphanum" -> v = upper_ || lower_ || digit
        | "upper" -> v = upper_
        | "lower" -> v = lower_
        | "wspace" -> v = blank
        | "punct" -> v = x > 32 && x < 127 && !(upper_ || lower_ || digit)
        | _ -> error "isstrprop knows no kind """, kind, """"
        end
        y[k] = v
    end
end

% 1 for every letter of a text
% > print isletter("a1b")
function y = isletter(s)
    y = isstrprop(s, "alpha")
end

% digits of a whole number to a base from 2 to 36, at least n of them
% > print dec2base(10, 3)
function s = dec2base(x, base, n = 1)
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    s = ""
    v = int(x)
    {!serial for}
    while v > 0 || strlen(s) < n
        s = digits[mod(v, base)] + s
        v = idivide(v, base)
    end
end

% the whole number that digits to a base from 2 to 36 stand for
% > print base2dec("101", 3)
function v = base2dec(s, base)
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    v = 0
    {!serial for}
    for k = 0..strlen(s) - 1
        d = strfind(digits, upper(s[k]))
        assert(d >= 0 && d < base, "base2dec: the text has other characters than digits of the base")
        v = v * base + d
    end
end

% the sum, as a function
% > print plus(1, 2)
function y = plus(a, b)
    y = a + b
end

% the difference, as a function
% > print minus(1, 2)
function y = minus(a, b)
    y = a - b
end

% the product of elements, as a function
% > print times([1,2], [3,4])
function y = times(a, b)
    y = a .* b
end

% the quotient of elements, as a function
% > print rdivide([1,2], 2)
function y = rdivide(a, b)
    y = a ./ b
end

% the matrix product, as a function
% > print mtimes([[1,2]], [[3],[4]])
function y = mtimes(a, b)
    y = a * b
end

% the power of elements, as a function
% > print power([1,2], 2)
function y = power(a, b)
    y = a .^ b
end

% the negative, as a function
% > print uminus(3)
function y = uminus(a)
    y = -a
end

% 1 where elements are equal, as a function
% > print eq([1,2], [1,3])
function y = eq(a, b)
    y = a == b
end

% 1 where elements differ, as a function
% > print ne([1,2], [1,3])
function y = ne(a, b)
    y = a != b
end

% 1 where the first is less, as a function
% > print lt([1,2], 2)
function y = lt(a, b)
    y = a < b
end

% 1 where the first is greater, as a function
% > print gt([1,2], 1)
function y = gt(a, b)
    y = a > b
end

% 1 where the first is not greater, as a function
% > print le([1,2], 1)
function y = le(a, b)
    y = a <= b
end

% 1 where the first is not less, as a function
% > print ge([1,2], 2)
function y = ge(a, b)
    y = a >= b
end

% a vector with c in front of it until it has n elements
% > print prepad([1,2], 4)
function y = prepad(x, n, c = 0)
    v = reshape(x, [1, numel(x)])
    y = n > numel(v) ? horzcat(c .* ones(1, n - numel(v)), v) : v[numel(v) - n..end]
end

% a vector with c behind it until it has n elements
% > print postpad([1,2], 4)
function y = postpad(x, n, c = 0)
    v = reshape(x, [1, numel(x)])
    y = n > numel(v) ? horzcat(v, c .* ones(1, n - numel(v))) : v[0..n - 1]
end

% the mean of squares, of all elements or along a dimension
% > print meansq([1,2,3])
function y = meansq(x, dim = -1)
    y = dim < 0 ? mean(abs(x).^2) : mean(abs(x).^2, dim)
end

% the integral of f(x,y,z) over a box
% > print round(10 * triplequad((x,y,z) -> x+y+z, 0, 1, 0, 1, 0, 1))
function s = triplequad(f, ax, bx, ay, by, az, bz)
    s = integral3(f, ax, bx, ay, by, az, bz)
end

% the integral of f(x,y,z) over a box
% > print round(10 * integral3((x,y,z) -> x+y+z, 0, 1, 0, 1, 0, 1))
function s = integral3(f, ax, bx, ay, by, az, bz)
    s = 0.0
    [at, weights] = _ten_points()
    {!serial for}
    for k = 0..9
        z = (az + bz) / 2 + (bz - az) / 2 * at[k]
        s += weights[k] * (bz - az) / 2 * dblquad((x, y) -> f(x, y, z), ax, bx, ay, by)
    end
end

% places and weights of Gauss's rule with ten points
function [at, weights] = _ten_points()
    half = [0.14887433898163122, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717]
    w = [0.29552422471475287, 0.26926671930999635, 0.21908636251598204, 0.1494513491505806, 0.06667134430868814]
    at = horzcat(half, -half)
    weights = horzcat(w, w)
end

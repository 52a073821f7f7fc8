% Functions of numbers: angles in degrees, inverse and reciprocal functions, tests, bits, and statistics of arrays.

% how many quarter turns an angle in degrees holds, 0 to 3, and the angle that is left, in radians
function [quarter, rest] = _quarters(x)
    n = round(x ./ 90)
    quarter = mod(n, 4)
    rest = (x - 90 .* n) .* (pi / 180)
end

% sine of an angle in degrees, exact at multiples of 90
% > print sind([0,30,180])
function y = sind(x)
    [q, r] = _quarters(x)
    y = (q == 0) .* sin(r) + (q == 1) .* cos(r) - (q == 2) .* sin(r) - (q == 3) .* cos(r)
end

% cosine of an angle in degrees, exact at multiples of 90
% > print cosd([0,60,90])
function y = cosd(x)
    y = sind(x + 90)
end

% tangent of an angle in degrees, infinite at 90 and 270
% > print tand([0,45,180])
function y = tand(x)
    y = sind(x) ./ cosd(x)
end

% arc sine in degrees
% > print asind(0.5)
function y = asind(x)
    y = rad2deg(asin(x))
end

% arc cosine in degrees
% > print acosd(0.5)
function y = acosd(x)
    y = rad2deg(acos(x))
end

% arc tangent in degrees
% > print atand(1)
function y = atand(x)
    y = rad2deg(atan(x))
end

% arc tangent of y/x in degrees, in the quadrant of the point (x,y)
% > print atan2d(1, -1)
function a = atan2d(y, x)
    a = rad2deg(atan2(y, x))
end

% degrees as radians
% > print deg2rad(180)
function y = deg2rad(x)
    y = x .* (pi / 180)
end

% radians as degrees
% > print rad2deg(pi)
function y = rad2deg(x)
    y = x .* (180 / pi)
end

% secant: 1/cos(x)
% > print sec(0)
function y = sec(x)
    y = 1 ./ cos(x)
end

% cosecant: 1/sin(x)
% > print csc(pi/2)
function y = csc(x)
    y = 1 ./ sin(x)
end

% cotangent: cos(x)/sin(x)
% > print cot(pi/4)
function y = cot(x)
    y = cos(x) ./ sin(x)
end

% inverse of sinh
% > print asinh(0)
function y = asinh(x)
    a = abs(x)
    y = sign(x) .* log1p(a + a .^ 2 ./ (1 + sqrt(a .^ 2 + 1)))
end

% inverse of cosh, for numbers from 1 on
% > print acosh(1)
function y = acosh(x)
    y = log1p(x - 1 + sqrt((x - 1) .* (x + 1)))
end

% inverse of tanh, for numbers from -1 to 1
% > print atanh(0)
function y = atanh(x)
    y = 0.5 .* (log1p(x) - log1p(-x))
end

% log(1+x), as exact for small numbers as for others
% > print log1p(0.00001)
function y = log1p(x)
    u = 1 + x
    lost = (min(u, 4000000) - 1 - min(x, 3999999)) ./ max(u, 1e-30)
    y = log(u) - lost
end

% exp(x)-1, as exact for small numbers as for others
% > print expm1(0.00001)
function y = expm1(x)
    half = tanh(x ./ 2)
    small = abs(x) < 1
    y = small .* (2 .* half ./ (1 - small .* half)) + (1 - small) .* (exp(max(x .* (1 - small), -1000)) - 1)
end

% the real n-th root of real numbers; of negative ones if n is odd
% > print nthroot(-27, 3)
function y = nthroot(x, n)
    if any(x < 0) && mod(n, 2) != 1
        error "nthroot: a negative number has no real root of even order ", n
    endif
    y = sign(x) .* abs(x) .^ (1 / n)
    bounded = min(max(x, -1e30), 1e30)
    good = (abs(x) > 0) .* (abs(x) < 1e30)
    z = min(max(y, -1e30), 1e30) .* good + (1 - good)
    y = y - good .* (z .^ n - bounded) ./ (n .* z .^ (n - 1))
end

% the real cube root
% > print cbrt(27)
function y = cbrt(x)
    y = nthroot(x, 3)
end

% inverse of erf, for numbers from -1 to 1
% > print erfinv(0.5)
function y = erfinv(x)
    inside = abs(x) < 1
    z = inside .* x
    l = log((1 - z) .* (1 + z))
    c = 2 / (pi * 0.147) + l ./ 2
    y = sign(z) .* sqrt(max(sqrt(c .^ 2 - l ./ 0.147) - c, 0))
    % two steps of Newton's method
    y = y - (erf(y) - z) ./ (2 / sqrt(pi) .* exp(-y .^ 2))
    y = y - (erf(y) - z) ./ (2 / sqrt(pi) .* exp(-y .^ 2))
    y = y + (x .* (1 - inside)) ./ inside + 0 .* sqrt(1 - abs(x))
end

% 1 for numbers that are neither infinite nor NaN
% > print isfinite([1,inf])
function y = isfinite(x)
    y = abs(x) < inf
end

% 1 for what is not 0
% > print logical([0,2])
function y = logical(x)
    y = x != 0
end

% numbers as floating-point numbers of the program's precision (single, or double with --double)
% > print double([1,2]) ./ 2
function y = double(x)
    y = iscomplex(x) ? x : float(x)
end

% numbers as floating-point numbers of the program's precision
% > print single([1,2]) ./ 2
function y = single(x)
    y = iscomplex(x) ? x : float(x)
end

% 1 if all arguments have the same size and the same elements
% > print isequal([1,2], [1,2])
function y = isequal(a, b)
    y = type(a, "string") || type(b, "string") ? type(a, "string") && type(b, "string") && a == b : _same(a, b)
end

% whether two arrays have the same size and the same elements
function y = _same(a, b)
    y = ndims(a) == ndims(b) && all(size(a) == size(b)) && all(a == b)
end

% the number of elements along the longest dimension, 0 if there are none, and of the characters of a text
% > print length([[1,2,3],[4,5,6]])
function n = length(x)
    n = ischar(x) ? strlen(x) : numel(x) > 0 ? max(size(x)) : 0
end

% the sum of products of two vectors; dot(a,b,dim) sums along a dimension of arrays
% > print dot([1,2,3], [4,5,6])
function y = dot(a, b, dim = -1)
    y = dim < 0 ? sum(reshape(conj(a), [1, numel(a)]) .* reshape(b, [1, numel(b)])) : sum(conj(a) .* b, dim)
end

% bits that are 1 in both integers
% > print bitand(12, 10)
function y = bitand(x, z)
    y = and(int(x), int(z))
end

% bits that are 1 in one of the integers
% > print bitor(12, 10)
function y = bitor(x, z)
    y = or(int(x), int(z))
end

% bits that are 1 in exactly one of the integers
% > print bitxor(12, 10)
function y = bitxor(x, z)
    y = xor(int(x), int(z))
end

% integers with their bits moved n places to the left, to the right if n is negative
% > print bitshift(1, 4)
function y = bitshift(x, n)
    y = n >= 0 ? shl(int(x), int(n)) : shr(int(x), -int(n))
end

% the greatest element minus the least
% > print range([3,1,7])
function y = range(x, dim = -1)
    y = dim < 0 ? max(x) - min(x) : max(x, [], dim) - min(x, [], dim)
end

% the distance between the quartiles
% > print iqr([1,2,3,4])
function y = iqr(x)
    q = prctile(x, [25,75])
    y = q[1] - q[0]
end

% the mean of (x-mean)^3, divided by the deviation^3
% > print skewness([1,2,6])
function y = skewness(x)
    d = x - mean(x)
    y = mean(d .^ 3) / mean(d .^ 2) ^ 1.5
end

% the mean of (x-mean)^4, divided by the variance squared: 3 for a normal distribution
% > print kurtosis([1,2,6])
function y = kurtosis(x)
    d = x - mean(x)
    y = mean(d .^ 4) / mean(d .^ 2) ^ 2
end

% the mean distance from the mean
% > print mad([1,2,6])
function y = mad(x)
    y = mean(abs(x - mean(x)))
end

% elements minus their mean, divided by their deviation (that of a sample, divided by n-1)
% > print zscore([1,2,3])
function y = zscore(x)
    n = numel(x)
    s = std(x) * sqrt(n / max(n - 1, 1))
    y = (x - mean(x)) ./ (s > 0 ? s : 1)
end

% elements moved and scaled to the range from low to high
% > print rescale([1,2,3])
function y = rescale(x, low = 0, high = 1)
    a = min(x)
    b = max(x)
    y = low + (high - low) .* (x - a) ./ (b > a ? b - a : 1)
end

% sums, means, least and greatest elements without NaN
% > print nansum([1,NaN,2])
function y = nansum(x)
    y = sum(_known(x))
end

% the mean of all elements but NaN
% > print nanmean([1,NaN,3])
function y = nanmean(x)
    y = mean(_known(x))
end

% the greatest of all elements but NaN
% > print nanmax([1,NaN,3])
function y = nanmax(x)
    y = max(_known(x))
end

% the least of all elements but NaN
% > print nanmin([1,NaN,3])
function y = nanmin(x)
    y = min(_known(x))
end

% the elements that are not NaN
function y = _known(x)
    v = reshape(x, [1, numel(x)])
    y = v[isnan(v) == 0]
end

% a code of Huffman for symbols with these probabilities, a row with the symbol and its bits for each, and the mean number of bits
% > [code, bits] = huffmandict([1,2,3], [0.5,0.25,0.25]); print bits
function [code, bits] = huffmandict(symbols, p)
    n = numel(symbols)
    [weights, groups, words] = [reshape(float(p), [1, n]), cell(n), cell(n)]
    {!serial for}
    for k = 0..n - 1
        groups[k] = [k]
        words[k] = n == 1 ? [0] : []
    end
    live = 0..n - 1
    while numel(live) > 1
        % The two rarest groups become one; each of its words gets one more bit in front.
        [_, order] = sort(weights[live])
        [a, b] = [live[order[0]], live[order[1]]]
        for k = groups[a]
            words[k] = [1, ...words[k]]
        end
        for k = groups[b]
            words[k] = [0, ...words[k]]
        end
        groups[a] = [...groups[a], ...groups[b]]
        weights[a] += weights[b]
        live = live[live != b]
    end
    code = cell(n, 2)
    bits = 0.0
    {!serial for}
    for k = 0..n - 1
        code[k, 0] = symbols[k]
        code[k, 1] = words[k]
        bits += p[k] * numel(words[k])
    end
end

% the bits of a list of symbols by a code that huffmandict made
% > print huffmanenco([1,3,1], huffmandict([1,2,3], [0.5,0.25,0.25]))
function bits = huffmanenco(list, code)
    parts = cell(numel(list))
    {!serial for}
    for i = 0..numel(list) - 1
        found = 0
        for k = 0..size(code, 0) - 1
            if code[k, 0] == list[i]
                parts[i] = code[k, 1]
                found = 1
                break
            endif
        end
        assert(found, "huffmanenco: the code has no word for a symbol of the list")
    end
    bits = numel(list) == 0 ? [] : horzcat(...parts)
end

% the symbols of a list of bits by a code that huffmandict made
% > code = huffmandict([1,2,3], [0.5,0.25,0.25]); print huffmandeco(huffmanenco([1,3,2], code), code)
function list = huffmandeco(bits, code)
    [list, count, at] = [zeros(numel(bits)), 0, 0]
    while at < numel(bits)
        found = 0
        for k = 0..size(code, 0) - 1
            n = numel(code[k, 1])
            if at + n <= numel(bits) && sum(abs(bits[at..at+n-1] - code[k, 1])) == 0
                list[count] = code[k, 0]
                [count, at, found] = [count + 1, at + n, 1]
                break
            endif
        end
        assert(found, "huffmandeco: these bits are no words of the code")
    end
    list = list[0..count-1]
end

% the exponential integral: the integral of exp(-t)/t from x on
% > print round(1000*expint(1))
function y = expint(x)
    assert(sum(reshape(x < 0, [1, numel(x)])) == 0, "expint: numbers from 0 on")
    % A series for small numbers, a continued fraction for large ones.
    low = min(x + 0.0, 1)
    high = (x + 1.0 + abs(x - 1)) ./ 2
    near = -0.5772156649015329 - log(low)
    term = 1.0 + 0 .* low
    far = 0 .* low
    {!serial for}
    for k = 1..20
        term = -term .* low ./ k
        near = near - term ./ k
    end
    {!serial for}
    for k = 60..-1..1
        far = k ./ (1 + k ./ (high + far))
    end
    far = exp(-high) ./ (high + far)
    y = near .* (x <= 1) + far .* (1 - (x <= 1))
end

% inverse secant
% > print round(1000*asec(2))
function y = asec(x)
    y = acos(1 ./ x)
end

% inverse cosecant
% > print round(1000*acsc(2))
function y = acsc(x)
    y = asin(1 ./ x)
end

% inverse cotangent
% > print round(1000*acot(2))
function y = acot(x)
    y = atan(1 ./ x)
end

% hyperbolic secant
% > print round(1000*sech(1))
function y = sech(x)
    y = 1 ./ cosh(x)
end

% hyperbolic cosecant
% > print round(1000*csch(1))
function y = csch(x)
    y = 1 ./ sinh(x)
end

% hyperbolic cotangent
% > print round(1000*coth(1))
function y = coth(x)
    y = 1 ./ tanh(x)
end

% the largest integer of a type
% > print intmax("int8")
function v = intmax(kind = "int32")
    match kind with
    | "int8" -> v = 127
    | "uint8" -> v = 255
    | "int16" -> v = 32767
    | "uint16" -> v = 65535
    | "int32" -> v = 2147483647
    | "uint32" -> v = maxvalue(uint32)
    | "int64" -> v = maxvalue(int64)
    | "uint64" -> v = maxvalue(uint64)
    | _ -> error("intmax: '", kind, "' is no type of integers")
    end
end

% the smallest integer of a type
% > print intmin("int8")
function v = intmin(kind = "int32")
    match kind with
    | "int8" -> v = -128
    | "int16" -> v = -32768
    | "int32" -> v = minvalue(int)
    | "int64" -> v = minvalue(int64)
    | ("uint8", "uint16", "uint32", "uint64") -> v = 0
    | _ -> error("intmin: '", kind, "' is no type of integers")
    end
end

% smallest and greatest of the elements
% > [a, b] = bounds([3,1,2]); print a, " ", b
function [low, high] = bounds(x)
    low = min(x)
    high = max(x)
end

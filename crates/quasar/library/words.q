% Small functions that programs of MATLAB use everywhere: kinds of values, cells, operators as functions, places and angles.

% 1 for numbers and arrays of numbers
% > print isnumeric([1,2]), isnumeric("a")
function y = isnumeric(x)
    y = isstring(x) || iscell(x) ? 0 : int(isreal(x) || iscomplex(x))
end

% 1 for text
% > print ischar("a"), ischar(3)
function y = ischar(x)
    y = isstring(x)
end

% 1 for cells
% > print iscell({1,"a"}), iscell([1,2])
function y = iscell(x)
    y = strfind(type(x), "[??]") >= 0 || strncmp(type(x), "cell", 4)
end

% 1 for what holds nothing but 0 and 1, as comparisons give
% > print islogical([1,2] > 1), islogical(3)
function y = islogical(x)
    y = isnumeric(x) && numel(x) > 0 ? int(all((x == 0) + (x == 1) > 0)) : 0
end

% 1 for arrays of one row
% > print isrow([1,2]), isrow(eye(2))
function y = isrow(x)
    y = int(size(x, 0) == 1)
end

% 1 for arrays of one column
% > print iscolumn([1,2]), iscolumn(ones(3,1))
function y = iscolumn(x)
    y = int(size(x, 1) == 1)
end

% number of rows
% > print rows(zeros(2,3))
function n = rows(x)
    n = size(x, 0)
end

% number of columns
% > print columns(zeros(2,3))
function n = columns(x)
    n = size(x, 1)
end

% what a function gives for arguments
% > print feval(max, 3, 7)
function y = feval(f, ...arguments)
    g = ischar(f) ? str2func(f) : f
    y = g(...arguments)
end

% the function of this name, or of the text of a lambda
% > print str2func("t -> t + 1")(2)
function f = str2func(text)
    f = eval(text)
end

% whether a value is an object, whose fields have names
% > print isstruct(object(a := 1)), isstruct(1)
function y = isstruct(x)
    y = type(x, "object")
end

% the number that a text stands for, with commas between thousands and i or j behind imaginary parts; NaN if it stands for none. Of a cell the numbers of its texts
% > print str2double("2.5e3"), " ", str2double("x")
function y = str2double(text)
    y = nan
    if iscell(text)
        y = zeros(size(text))
        {!serial for}
        for k = 0..numel(text) - 1
            y[k] = str2double(text[k])
        end
    elseif ischar(text)
        plain = strreplace(strtrim(text), ",", "")
        number = "[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?|[+-]?[Ii]nf|NaN|nan"
        whole = regexp(plain, strcat("^(", number, ")$"), "tokens", "once")
        parts = regexp(plain, strcat("^((?:", number, ")?)\s*([+-]?)\s*((?:", number, ")?)\s*\*?\s*[ij]$"), "tokens", "once")
        if numel(whole) > 0
            y = str2num(regexprep(whole[0], "[dD]", "e"))
        elseif numel(parts) > 0
            y = _complex_text(parts[0], parts[1], parts[2])
        endif
    endif
end

% a complex number of its real part, a sign and its imaginary part; the first alone is the imaginary one
function z = _complex_text(re, sign_, im)
    one = sign_ == "-" ? -1 : 1
    if strlen(sign_) == 0 && strlen(im) == 0
        z = complex(0, strlen(re) == 0 ? 1 : str2num(re))
    else
        z = complex(strlen(re) == 0 ? 0 : str2num(re), one * (strlen(im) == 0 ? 1 : str2num(im)))
    endif
end

% a whole number as a text of hexadecimal digits, at least n of them
% > print dec2hex(255)
function s = dec2hex(x, n = 1)
    s = sprintf("%X", x)
    while strlen(s) < n
        s = strcat("0", s)
    end
end

% the number that a text of hexadecimal digits stands for
% > print hex2dec("FF")
function x = hex2dec(s)
    digits = lower(s)
    x = 0.0
    {!serial for}
    for k = 0..strlen(digits)-1
        d = strfind("0123456789abcdef", digits[k])
        assert(d >= 0, "hex2dec: the text has other letters than 0 to 9 and A to F")
        x = 16 * x + d
    end
end

% the time in UTC as year, month, day, hour, minute and second
% > print clock()[0] > 2000
function c = clock()
    now = time()
    days = floor(now / 86400)
    rest = now - 86400 * days
    % Days of eras of 400 years, which begin in March.
    z = days + 719468
    era = floor(z / 146097)
    day = z - era * 146097
    year = floor((day - floor(day / 1460) + floor(day / 36524) - floor(day / 146096)) / 365)
    of_year = day - (365 * year + floor(year / 4) - floor(year / 100))
    month = floor((5 * of_year + 2) / 153)
    late = month > 9 ? 1 : 0
    c = [year + era * 400 + late, month + 3 - 12 * late, of_year - floor((153 * month + 2) / 5) + 1, floor(rest / 3600), floor(mod(rest, 3600) / 60), mod(rest, 60)]
end

% whether a matrix has as many rows as columns
% > print issquare(eye(3)), issquare([1,2])
function y = issquare(x)
    y = ndims(x) < 3 && size(x, 0) == size(x, 1)
end

% f of every element, or of the elements of several arrays of one size, as an array of the same size; with "UniformOutput", false a cell
% > print arrayfun(x -> x^2, [1,2,3])
function r = arrayfun(f, x, ...rest)
    more = numel(rest)
    uniform = true
    if more > 1 && ischar(rest[more-2])
        assert(lower(rest[more-2]) == "uniformoutput", "arrayfun knows no option but UniformOutput")
        uniform = rest[more-1]
        more -= 2
    endif
    r = uniform ? zeros(size(x)) : cell(size(x))
    {!serial for}
    for i = 0..numel(x) - 1
        if more == 0
            r[i] = f(x[i])
        elseif more == 1
            y = rest[0]
            r[i] = f(x[i], y[i])
        else
            y = rest[0]
            z = rest[1]
            r[i] = f(x[i], y[i], z[i])
        endif
    end
end

% the elements of an array, as a cell
% > print numel(num2cell([1,2,3]))
function c = num2cell(x)
    c = cell(numel(x))
    v = reshape(x, [1, numel(x)])
    {!serial for}
    for i = 0..numel(x) - 1
        c[i] = v[i]
    end
end

% a cell of numbers or rows, side by side
% > print cell2mat({1,2,3})
function x = cell2mat(c)
    x = numel(c) == 0 ? [] : horzcat(c[0])
    {!serial for}
    for i = 1..numel(c) - 1
        x = horzcat(x, c[i])
    end
end

% an integer as text, rounded
% > print int2str(2.7)
function s = int2str(x)
    s = num2str(int(round(x)))
end

% parts of the name of a file, with / between them
% > print fullfile("pictures", "lena.png")
function s = fullfile(first, ...rest)
    s = first
    {!serial for}
    for k = 0..numel(rest) - 1
        s = s + "/" + rest[k]
    end
end

% n blanks
% > print blanks(3), "."
function s = blanks(n)
    s = ""
    {!serial for}
    for k = 1..n
        s = s + " "
    end
end

% an object with fields: name, value, and so on
% > s = struct("a", 3, "b", "text"); print s.a, s.b
function s = struct(...fields)
    s = object()
    {!serial for}
    for k = 0..2..numel(fields) - 2
        setfield(s, fields[k], fields[k + 1])
    end
end

% bit number n (from 1) of whole numbers
% > print bitget([5,6], 1)
function y = bitget(x, n)
    y = mod(floor(x ./ 2.^(n - 1)), 2)
end

% whole numbers with bit number n (from 1) set to v
% > print bitset([4,6], 1)
function y = bitset(x, n, v = 1)
    assert(all(n >= 1), "bitset: bits count from 1")
    y = x + (v - bitget(x, n)) .* 2.^(n - 1)
end

% the bits of whole numbers below 2^bits the other way round
% > print bitcmp(5, 8)
function y = bitcmp(x, bits = 8)
    y = 2^bits - 1 - x
end

% angle and distance of points in the plane
% > [theta, r] = cart2pol(3, 4); print r
function [theta, r] = cart2pol(x, y)
    theta = atan2(y, x)
    r = sqrt(x.^2 + y.^2)
end

% places in the plane of angles and distances
% > [x, y] = pol2cart(0, 2); print x, " ", y
function [x, y] = pol2cart(theta, r)
    x = r .* cos(theta)
    y = r .* sin(theta)
end

% the root of the mean of the squares, of all or along a dimension
% > print rms([3,4])
function y = rms(x, dim = -1)
    y = dim < 0 ? sqrt(mean(abs(x).^2)) : sqrt(mean(abs(x).^2, dim))
end

% decibels of a power
% > print pow2db(100)
function y = pow2db(x)
    y = 10 .* log10(x)
end

% the power of decibels
% > print db2pow(20)
function y = db2pow(x)
    y = 10.0.^(x ./ 10)
end

% decibels of an amplitude
% > print mag2db(100)
function y = mag2db(x)
    y = 20 .* log10(abs(x))
end

% the amplitude of decibels
% > print db2mag(20)
function y = db2mag(x)
    y = 10.0.^(x ./ 20)
end

% powers of two
% > print pow2(3)
function y = pow2(x)
    y = 2.0.^x
end

% the sum of the squares, of all or along a dimension
% > print sumsq([3,4])
function y = sumsq(x, dim = -1)
    y = dim < 0 ? sum(abs(x).^2) : sum(abs(x).^2, dim)
end

% values at most t in magnitude become 0, the others come nearer to 0 by t ("s") or stay ("h")
% > print wthresh([-3,1,5], "s", 2)
function y = wthresh(x, kind, t)
    if kind == "s"
        y = sign(x) .* max(abs(x) - t, 0)
    else
        y = x .* (abs(x) > t)
    endif
end

% elements of either of two sets, but not of both
% > print setxor([1,2,3],[3,4])
function y = setxor(a, b)
    y = union(setdiff(a, b), setdiff(b, a))
end

% n whole numbers below total, all different, as by randperm
% > print numel(randsample(10, 3))
function y = randsample(total, n)
    y = randperm(total)[0..n - 1]
end

% deviations of the rows of two matrices: element i,j is the distance of row i of a from row j of b
% > print pdist2([[0,0]], [[3,4],[0,1]])
function d = pdist2(a, b)
    s = sum(a.^2, 1) + transpose(sum(b.^2, 1)) - 2 .* (a * transpose(b))
    d = sqrt(max(s, 0))
end

% values minus their mean, divided by their deviation (of a sample), along columns
% > print normalize(transpose([1,2,3]))
function y = normalize(x)
    d = size(x, 0) == 1 ? 1 : 0
    m = mean(x, d)
    s = sqrt(sum(abs(x - m).^2, d) ./ (size(x, d) - 1))
    y = (x - m) ./ s
end

% principal components of rows of observations: directions as columns, the rows in these directions, and the variance along each
% > [directions, scores, variances] = pca([[1,2],[2,4.1],[3,5.9]]); print size(directions), numel(variances)
function [directions, scores, variances] = pca(x)
    centred = x - mean(x, 0)
    [_, s, v] = svd(centred)
    k = min(size(x, 0) - 1, size(x, 1))
    sigma = min(size(s, 0), size(s, 1)) == 1 ? s : diag(s)
    sigma = reshape(sigma, [1, numel(sigma)])
    variances = reshape(sigma[0..k - 1].^2 ./ (size(x, 0) - 1), [k, 1])
    directions = v[:, 0..k - 1]
    largest = max(abs(directions), [], 0)
    {!serial for}
    for j = 0..k - 1
        {!serial for}
        for i = 0..size(directions, 0) - 1
            if abs(directions[i, j]) == largest[0, j] && directions[i, j] < 0
                directions[:, j] = -directions[:, j]
                break
            endif
        end
    end
    scores = centred * directions
end

% groups of rows whose members lie nearest to the mean of their group: number of each row's group, the means, for each group the sum of the distances from its mean, and all distances; after at most 100 steps, or as many as the next argument or "MaxIter" says. Distances are squared Euclidean ones, and one start is enough: "Replicates" has no effect
% > [group, means] = kmeans(transpose([0,1,10,11]), 2); print size(means)
function [group, means, sums, far] = kmeans(x, k, ...options)
    most = 100
    first = 0
    if numel(options) > 0
        first = isstring(options[0]) ? 0 : 1
        most = first == 1 ? options[0] : most
    endif
    {!serial for}
    for o = first..2..numel(options) - 2
        match lower(options[o]) with
        | "maxiter" -> most = options[o + 1]
        | "replicates" ->
        | "distance" -> assert(lower(options[o + 1]) == "sqeuclidean", "kmeans knows no other distance than sqeuclidean")
        | _ -> error "kmeans knows no option """, options[o], """: MaxIter, Replicates or Distance"
        end
    end
    n = size(x, 0)
    means = _spread_rows(x, k)
    group = zeros(n, 1) - 1
    {!serial for}
    for step = 1..most
        d = pdist2(x, means)
        [_, nearest] = min(d, [], 1)
        if sum(abs(nearest - group)) == 0
            break
        endif
        group = reshape(nearest, [n, 1])
        {!serial for}
        for j = 0..k - 1
            mine = float(group == j)
            count = sum(mine)
            if count > 0
                means[j, :] = transpose(mine) * x ./ count
            endif
        end
    end
    far = pdist2(x, means).^2
    sums = zeros(k, 1)
    {!serial for}
    for i = 0..n - 1
        sums[int(group[i, 0]), 0] += far[i, int(group[i, 0])]
    end
end

% k rows to begin with: one at random, then always the one that lies farthest from those chosen
function y = _spread_rows(x, k)
    n = size(x, 0)
    y = zeros(k, size(x, 1))
    y[0, :] = x[randi([0, n - 1]), :]
    far = pdist2(x, reshape(y[0, :], [1, size(x, 1)]))
    {!serial for}
    for j = 1..k - 1
        [_, at] = max(reshape(far, [1, n]))
        y[j, :] = x[at, :]
        far = min(far, pdist2(x, reshape(y[j, :], [1, size(x, 1)])))
    end
end

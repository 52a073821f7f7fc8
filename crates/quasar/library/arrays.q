% Arrays put in order, differences and sums along dimensions, polynomials.

% lower triangle, up to the diagonal k to the right of the main one
% > print tril(ones(2,2))
function y = tril(x, k = 0)
    y = ndims(x) == 0 && k < 0 ? 0 * x : copy(x)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if n - m > k
                y[m,n] = 0
            endif
        end
    end
end

% upper triangle, from the diagonal k to the right of the main one on
% > print triu(ones(2,2))
function y = triu(x, k = 0)
    y = ndims(x) == 0 && k > 0 ? 0 * x : copy(x)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if n - m < k
                y[m,n] = 0
            endif
        end
    end
end

% elements in reverse order along a dimension, by default the first that is longer than 1
% > print flip([1,2,3])
function y = flip(x, dim = -1)
    y = _along(x, _dimension(x, dim), size(x, _dimension(x, dim))-1..-1..0)
end

% a matrix turned by k times 90 degrees against the clock
% > print rot90([[1,2],[3,4]])
function y = rot90(x, k = 1)
    order = 0..max(ndims(x), 2)-1
    order[0] = 1
    order[1] = 0
    match mod(int(k), 4) with
    | 0 -> y = copy(x)
    | 1 -> y = flipud(permute(x, order))
    | 2 -> y = flipud(fliplr(x))
    | 3 -> y = fliplr(permute(x, order))
    end
end

% the parts of x at these places along a dimension
function y = _along(x, dim, at)
    match dim with
    | 0 -> y = ndims(x) > 2 ? x[at,:,:] : reshape(x[at,:], [numel(at), size(x,1)])
    | 1 -> y = ndims(x) > 2 ? x[:,at,:] : reshape(x[:,at], [size(x,0), numel(at)])
    | 2 -> y = x[:,:,at]
    | _ -> error "arrays of up to 3 dimensions have no dimension ", dim
    end
end

% the dimension that is given, or else the first that is longer than 1
function d = _dimension(x, dim)
    d = dim
    if dim < 0
        d = size(x, 0) > 1 ? 0 : size(x, 1) != 1 || ndims(x) < 3 ? 1 : 2
    endif
end

% differences of neighbours, n times, along a dimension (by default the first that is longer than 1)
% > print diff([1,4,9])
function y = diff(x, n = 1, dim = -1)
    y = x
    d = _dimension(x, dim)
    {!serial for}
    for k=1..n
        m = size(y, d)
        y = _along(y, d, 1..m-1) - _along(y, d, 0..m-2)
    end
end

% half the differences of both neighbours, at the ends those of one, divided by the distance h; [gx,gy] along columns and rows
% > print gradient([1,4,9])
function [gx, gy] = gradient(x, h = 1, k = [])
    steps = isempty(k) ? h : k
    if size(x, 0) > 1 && size(x, 1) == 1
        gx = _slope(x, 0, h)
        gy = gx
    else
        gx = _slope(x, 1, h)
        gy = _slope(x, 0, steps)
    endif
end

% the slope along a dimension: of lines through both neighbours
function y = _slope(x, d, h)
    n = size(x, d)
    y = 0 .* x
    if n > 1
        at = 0..n-1
        after = min(at + 1, n - 1)
        before = max(at - 1, 0)
        width = d == 0 ? reshape(after - before, [n, 1]) : after - before
        place = at
        if numel(h) > 1
            place = d == 0 ? reshape(h, [1, n]) : h
            width = d == 0 ? reshape(place[after] - place[before], [n, 1]) : place[after] - place[before]
        else
            width = width .* h
        endif
        y = (_along(x, d, after) - _along(x, d, before)) ./ width
    endif
end

% integral by trapezoids of y at places 0, 1, 2 …, or of the values in the second argument at the places in the first, trapz(x,y,dim)
% > print trapz([1,2,3])
function z = trapz(x, y = [], dim = -1)
    v = isempty(y) ? x : y
    d = _dimension(v, dim)
    n = size(v, d)
    z = n > 1 ? sum(_trapezoids(x, y, d), d) : 0
    if numel(z) == 1 && n > 1
        z = sum(z)
    endif
end

% the running integral by trapezoids; arguments as for trapz
% > print cumtrapz([1,2,3])
function z = cumtrapz(x, y = [], dim = -1)
    v = isempty(y) ? x : y
    d = _dimension(v, dim)
    z = 0 .* v
    n = size(v, d)
    if n > 1
        parts = cumsum(_trapezoids(x, y, d), d)
        z = d == 0 ? vertcat(0 .* v[[0],:], parts) : horzcat(0 .* v[:,[0]], parts)
    endif
end

% the areas between neighbours
function a = _trapezoids(x, y, d)
    v = isempty(y) ? x : y
    n = size(v, d)
    a = (_along(v, d, 1..n-1) + _along(v, d, 0..n-2)) ./ 2
    if !isempty(y) && numel(x) > 1
        assert(numel(x) == n, "trapz needs as many places as values")
        w = diff(reshape(x, [1, n]))
        a = a .* (d == 0 ? reshape(w, [n-1, 1]) : w)
    elseif !isempty(y)
        a = a .* x
    endif
end

% the polynomial with coefficients p, highest power first, at x; s and mu as polyfit gives them
% > print polyval([1,0,-1], 3)
function y = polyval(p, x, s = [], mu = [])
    x = isempty(mu) ? x : (x - mu[0]) ./ mu[1]
    y = 0 .* x
    {!serial for}
    for k=0..numel(p)-1
        y = y .* x + p[k]
    end
end

% coefficients of the derivative of a polynomial
% > print polyder([1,0,-1])
function q = polyder(p)
    n = numel(p)
    q = n < 2 ? [0] : reshape(p, [1, n])[0..n-2] .* (n-1..-1..1)
end

% coefficients of the integral of a polynomial, with k as constant
% > print polyint([2,0])
function q = polyint(p, k = 0)
    n = numel(p)
    q = horzcat(reshape(p, [1, n]) ./ (n..-1..1), [k])
end

% coefficients of the polynomial with these zeros, or of the characteristic polynomial of a matrix
% > print poly([1,2])
function p = poly(x)
    zeroes = size(x, 0) == size(x, 1) && size(x, 0) > 1 ? eig(x) : x
    p = [1]
    {!serial for}
    for k=0..numel(zeroes)-1
        p = horzcat(p, [0]) - horzcat([0], p .* zeroes[k])
    end
    p = iscomplex(p) && max(abs(imag(p))) <= 0.00001 * max(abs(p)) ? real(p) : p
end

% the zeros of the polynomial with coefficients p, highest power first
% > print roots([1,-3,2])
function r = roots(p)
    used = find(reshape(p, [1, numel(p)]))
    r = zeros(0)
    if size(used, 0) > 0
        first = used[0,1]
        last = used[size(used,0)-1,1]
        n = last - first
        if n > 0
            c = iscomplex(p) ? czeros(n, n) : zeros(n, n)
            c[0,:] = -p[first+1..last] ./ p[first]
            {!serial for}
            for k=1..n-1
                c[k,k-1] = 1
            end
            r = eig(c)
        endif
        if numel(p) - 1 - last > 0
            r = horzcat(r, zeros(numel(p) - 1 - last))
        endif
    endif
end

% zero frequency moved to the middle, along all dimensions or one
% > print fftshift([0,1,2,-2,-1])
function y = fftshift(x, dim = -1)
    y = _roll(x, dim, 0)
end

% inverse of fftshift
% > print ifftshift([-2,-1,0,1,2])
function y = ifftshift(x, dim = -1)
    y = _roll(x, dim, 1)
end

% every dimension, or one, moved around by half its length
function y = _roll(x, dim, up)
    s = zeros(max(ndims(x), 2))
    {!serial for}
    for d=0..numel(s)-1
        s[d] = dim < 0 || dim == d ? int((size(x, d) + up) / 2) : 0
    end
    y = circshift(x, s)
end

% matrices of the columns and rows of a grid: X[i,j] = x[j], Y[i,j] = y[i]
% > print meshgrid([0,1],[0,1,2])
function [X, Y] = meshgrid(x, y = [])
    rows = isempty(y) ? x : y
    X = repmat(reshape(x, [1, numel(x)]), [numel(rows), 1])
    Y = repmat(reshape(rows, [numel(rows), 1]), [1, numel(x)])
end

% arrays of the places of a grid: A[i,j] = a[i], B[i,j] = b[j], and C[i,j,k] = c[k] with three vectors
% > print ndgrid([0,1],[0,1,2])
function [A, B, C] = ndgrid(a, b = [], c = [])
    v = isempty(b) ? a : b
    [m, n, k] = [numel(a), numel(v), max(numel(c), 1)]
    A = repmat(reshape(a, [m, 1]), [1, n, k])
    B = repmat(reshape(v, [1, n]), [m, 1, k])
    C = repmat(reshape(isempty(c) ? [0] : c, [1, 1, k]), [m, n, 1])
end

% n powers of 10 with equally spaced exponents from a to b
% > print logspace(0,2,3)
function y = logspace(a, b, n = 50)
    y = 10 .^ linspace(a, b, n)
end

% covariances of the columns of a matrix, or of two vectors; divided by n-1, or by n if biased, which may be the second of two arguments
% > print cov([1,2,4],[2,3,7])
function c = cov(x, y = [], biased = 0)
    weight = ndims(y) == 0 && numel(x) > 1
    biased = weight ? y : biased
    v = _columns(x, weight ? [] : y)
    n = size(v, 0)
    d = v - sum(v, 0) ./ n
    c = transpose(conj(d)) * d ./ (biased || n < 2 ? n : n - 1)
    if numel(c) == 1
        c = c[0]
    endif
end

% observations of variables: one per row
function v = _columns(x, y)
    if isempty(y)
        v = size(x, 0) == 1 ? reshape(x, [numel(x), 1]) : x
    else
        assert(numel(x) == numel(y), "two arrays of the same number of elements are needed")
        v = horzcat(reshape(x, [numel(x), 1]), reshape(y, [numel(y), 1]))
    endif
end

% correlation coefficients of the columns of a matrix, or of two vectors
% > print corrcoef([1,2,4],[2,4,8])
function r = corrcoef(x, y = [])
    c = cov(x, y)
    r = 1
    if numel(c) > 1
        s = sqrt(real(diag(c)))
        n = numel(s)
        r = c ./ (reshape(s, [n, 1]) .* reshape(s, [1, n]))
    endif
end

% mean of the k neighbours around each element, or of those kb before and kf behind it; at the ends by "Endpoints": "shrink" (fewer), "discard" or "fill" (NaN)
% > print movmean([1,2,6],3)
function y = movmean(x, k, ...options)
    named = numel(options) == 2 && lower(options[0]) == "endpoints"
    ends = named ? options[1] : "shrink"
    assert(numel(options) == 0 || named && (ends == "shrink" || ends == "discard" || ends == "fill"), "movmean knows the option ""Endpoints"" with ""shrink"", ""discard"" or ""fill""")
    before = numel(k) > 1 ? k[0] : int(k / 2)
    after = numel(k) > 1 ? k[1] : int((k - 1) / 2)
    d = _dimension(x, -1)
    n = size(x, d)
    at = 0..n-1
    low = max(at - before, 0)
    high = min(at + after, n - 1)
    y = copy(x)
    if n > 0
        count = high - low + 1
        total = 0 .* x
        {!serial for}
        for k=-before..after
            inside = (at + k >= 0) .* (at + k < n)
            total = total + _along(x, d, max(0, min(at + k, n - 1))) .* (d == 0 ? reshape(inside, [n, 1]) : inside)
        end
        y = total ./ (d == 0 ? reshape(count, [n, 1]) : count)
        whole = find(count == before + after + 1)
        if ends == "discard"
            y = _along(y, d, reshape(whole[:, end], [1, size(whole, 0)]))
        elseif ends == "fill"
            lacks = count < before + after + 1
            y = y + (d == 0 ? reshape(0 ./ (1 - lacks), [n, 1]) : 0 ./ (1 - lacks))
        endif
    endif
end

% correlation of x and y (or x) for distances -n to n, as far as the greater length or maxlag, xcorr(x,y,maxlag,scale) or without y or maxlag; scale "none", "biased", "unbiased" or "coeff"
% > print xcorr([1,2],[1,2])
function [c, lags] = xcorr(x, ...options)
    [y, maxlag, scale] = {[], -1, "none"}
    {!serial for}
    for k = 0..numel(options) - 1
        option = options[k]
        if isstring(option)
            scale = option
        elseif k == 0 && (numel(option) != 1 || ndims(option) > 0)
            y = option
        elseif !isempty(option)
            maxlag = sum(option)
        endif
    end
    n = max(numel(x), numel(y))
    a = _padded(x, n)
    b = isempty(y) ? a : _padded(y, n)
    c = conv(a, fliplr(conj(b)))
    lags = -(n-1)..n-1
    if scale == "biased"
        c = c ./ n
    elseif scale == "unbiased"
        c = c ./ (n - abs(lags))
    elseif scale == "coeff"
        c = c ./ sqrt(sum(abs(a) .^ 2) * sum(abs(b) .^ 2))
    elseif scale != "none"
        error "xcorr knows no scale """, scale, """: none, biased, unbiased or coeff"
    endif
    if maxlag >= 0
        m = min(int(maxlag), n - 1)
        c = c[n-1-m..n-1+m]
        lags = -m..m
        if maxlag > m
            more = zeros(int(maxlag) - m)
            c = horzcat(horzcat(more, c), more)
            lags = -int(maxlag)..int(maxlag)
        endif
    endif
end

% a vector with zeros behind it
function y = _padded(x, n)
    y = reshape(x, [1, numel(x)])
    if n > numel(x)
        y = horzcat(y, zeros(n - numel(x)))
    endif
end

% correlation of x with a mask; part "same" (by default), "full" or "valid"
% > print filter2(ones(1,3), [1,2,3])
function y = filter2(mask, x, part = "same")
    y = conv2(x, flipud(fliplr(mask)), part)
end

% starts the random numbers anew
% > rng(1)
function [] = rng(n = 0, ...kind)
    seed(isstring(n) ? 0 : n)
end

% prints a value and ends the line
% > disp([1,2])
function [] = disp(x)
    print x
end

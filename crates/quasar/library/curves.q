% Curves through points, in pieces of polynomials, and differences of second order.

% a curve in pieces: the places where they meet, and for each the coefficients, highest power first, of a polynomial of the distance from its beginning
% > p = mkpp([0,1,2], [[1,0],[2,1]]); print ppval(p, 1.5)
function p = mkpp(breaks, coefficients)
    c = numel(breaks) == 2 ? reshape(coefficients, [1, numel(coefficients)]) : coefficients
    assert(size(c, 0) == numel(breaks) - 1, "mkpp: one row of coefficients for each piece")
    p = object(form := "pp", breaks := 1.0 .* reshape(breaks, [1, numel(breaks)]), coefs := 1.0 .* c, pieces := size(c, 0), order := size(c, 1), dim := 1)
end

% places, coefficients, number of pieces, of coefficients and of values of a curve
% > [at, c, n] = unmkpp(mkpp([0,1,2], [[1,0],[2,1]])); print at, n
function [breaks, coefficients, pieces, order, dim] = unmkpp(p)
    [breaks, coefficients, pieces, order, dim] = {p.breaks, p.coefs, p.pieces, p.order, p.dim}
end

% values of a curve in pieces
% > print ppval(mkpp([0,1,2], [[1,0],[2,1]]), [0.5,1.5])
function y = ppval(p, x)
    breaks = p.breaks
    c = p.coefs
    at = 1.0 .* reshape(x, [1, numel(x)])
    v = zeros(1, numel(at))
    for i = 0..numel(at) - 1
        k = 0
        {!serial for}
        for j = 1..numel(breaks) - 2
            k = at[i] >= breaks[j] ? j : k
        end
        t = at[i] - breaks[k]
        sum_ = 0.0
        {!serial for}
        for j = 0..size(c, 1) - 1
            sum_ = sum_ * t + c[k,j]
        end
        v[i] = sum_
    end
    y = ndims(x) == 0 ? v[0] : reshape(v, size(x))
end

% the pieces of a curve whose slopes at its points are known
function p = _with_slopes(x, y, slopes)
    n = numel(x)
    c = zeros(n - 1, 4)
    for k = 0..n - 2
        h = x[k+1] - x[k]
        d = (y[k+1] - y[k]) / h
        c[k,0] = (slopes[k] + slopes[k+1] - 2 * d) / h^2
        c[k,1] = (3 * d - 2 * slopes[k] - slopes[k+1]) / h
        c[k,2] = slopes[k]
        c[k,3] = y[k]
    end
    p = mkpp(x, c)
end

% the slopes of a curve that rises and falls only where its points do
function s = _monotone_slopes(x, y)
    n = numel(x)
    h = diff(x)
    d = diff(y) ./ h
    s = zeros(1, n)
    if n == 2
        s[:] = d[0]
    else
        for k = 1..n - 2
            w1 = 2 * h[k] + h[k-1]
            w2 = h[k] + 2 * h[k-1]
            s[k] = d[k-1] * d[k] <= 0 ? 0.0 : (w1 + w2) / (w1 / d[k-1] + w2 / d[k])
        end
        s[0] = _end_slope(h[0], h[1], d[0], d[1])
        s[n-1] = _end_slope(h[n-2], h[n-3], d[n-2], d[n-3])
    endif
end

function s = _end_slope(h, k, d, e)
    s = ((2 * h + k) * d - h * e) / (h + k)
    s = s * d <= 0 ? 0.0 : d * e <= 0 && abs(s) > abs(3 * d) ? 3 * d : s
end

% the curve through points that rises and falls only where they do, at the places xi; without these the curve itself, for ppval
% > print pchip([0,1,2], [0,1,4], 1.5)
function yi = pchip(x, y, xi = [])
    assert(numel(x) == numel(y) && numel(x) > 1, "pchip needs as many values as places, at least 2")
    [places, values] = {1.0 .* reshape(x, [1, numel(x)]), 1.0 .* reshape(y, [1, numel(y)])}
    p = _with_slopes(places, values, _monotone_slopes(places, values))
    yi = nargin < 3 ? p : ppval(p, xi)
end

% the cubic spline through points (x,y), not-a-knot at its ends, at the places xi; without these the curve itself, for ppval. Two values more than places: the slopes at the ends
% > print spline([0,1,2,3], [0,1,8,27], 1.5)
function yi = spline(x, y, xi = [])
    n = numel(x)
    assert(n > 1 && (numel(y) == n || numel(y) == n + 2), "spline needs as many values as places, at least 2")
    places = 1.0 .* reshape(x, [1, n])
    values = 1.0 .* reshape(y, [1, numel(y)])
    if numel(y) == n + 2
        p = _with_slopes(places, values[1..n], _spline_slopes(places, values[1..n], [values[0], values[n+1]]))
    elseif n == 2
        p = mkpp(places, [(values[1] - values[0]) / (places[1] - places[0]), values[0]])
    elseif n == 3
        % One parabola through three points.
        d = diff(values) ./ diff(places)
        bend = (d[1] - d[0]) / (places[2] - places[0])
        p = mkpp([places[0], places[2]], [bend, d[0] - bend * (places[1] - places[0]), values[0]])
    else
        p = _with_slopes(places, values, _spline_slopes(places, values, []))
    endif
    yi = nargin < 3 ? p : ppval(p, xi)
end

% the slopes at the points of a spline; those at the ends are given, or the third derivative is the same on both sides of the second and last but one point
function s = _spline_slopes(x, y, ends)
    n = numel(x)
    h = diff(x)
    d = diff(y) ./ h
    a = zeros(n, n)
    b = zeros(n, 1)
    for k = 1..n - 2
        a[k,k-1] = h[k]
        a[k,k] = 2 * (h[k-1] + h[k])
        a[k,k+1] = h[k-1]
        b[k,0] = 3 * (h[k] * d[k-1] + h[k-1] * d[k])
    end
    if numel(ends) > 0
        a[0,0] = 1
        a[n-1,n-1] = 1
        b[0,0] = ends[0]
        b[n-1,0] = ends[1]
    else
        [p, q] = [h[0] + h[1], h[n-3] + h[n-2]]
        a[0,0] = h[1]
        a[0,1] = p
        b[0,0] = ((h[0] + 2 * p) * h[1] * d[0] + h[0]^2 * d[1]) / p
        a[n-1,n-2] = q
        a[n-1,n-1] = h[n-3]
        b[n-1,0] = (h[n-2]^2 * d[n-3] + (2 * q + h[n-2]) * h[n-3] * d[n-2]) / q
    endif
    s = transpose(a \ b)
end

% a periodic signal at n places of its period, by its spectrum
% > print round(interpft([1,2,3], 6))
function y = interpft(x, n)
    m = numel(x)
    f = fft(reshape(1.0 .* x, [1, m]))
    g = czeros(n)
    half = int(floor((m + 1) / 2))
    assert(n >= m, "interpft gives no fewer places than there are")
    g[0..half-1] = f[0..half-1]
    {!serial for}
    for k = half..m - 1
        g[n - m + k] = f[k]
    end
    if mod(m, 2) == 0 && n > m
        g[half] = f[half] / 2
        g[n - half] = f[half] / 2
    endif
    v = (iscomplex(x) ? ifft(g) : real(ifft(g))) .* (1.0 * n / m)
    y = size(x, 1) == 1 && ndims(x) > 1 ? transpose(v) : v
end

% a quarter of the sum of second differences along rows and columns, continued on straight lines at the borders, for the distance h
% > print del2([[1,4,9,16],[1,4,9,16],[1,4,9,16]])
function y = del2(x, h = 1)
    y = (_second(x, 0) + _second(x, 1)) ./ (4 * h^2)
end

function y = _second(x, d)
    n = size(x, d)
    y = 0.0 .* x
    if n > 2
        v = d == 0 ? x : transpose(x)
        z = 0.0 .* v
        for k = 1..n - 2
            z[k,:] = v[k-1,:] - 2 .* v[k,:] + v[k+1,:]
        end
        z[0,:] = n > 3 ? 2 .* z[1,:] - z[2,:] : z[1,:]
        z[n-1,:] = n > 3 ? 2 .* z[n-2,:] - z[n-3,:] : z[n-2,:]
        y = d == 0 ? z : transpose(z)
    endif
end

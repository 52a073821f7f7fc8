% Filters and spectra beyond signals.q: Chebyshev's second kind, orders, zeros and poles, linear prediction, resampling, trees of wavelets.

% the first n values of a filter's answer to a single 1, and the times of these samples at the rate fs
% > print impz([1], [1,-0.5], 4)
function [h, t] = impz(b, a = [1], n = 0, fs = 1)
    count = isempty(n) ? 0 : int(n)
    if count < 1
        count = numel(a) == 1 ? numel(b) : 100
    endif
    x = zeros(1, count)
    x[0] = 1
    h = filter(b, a, x)
    t = (0..count-1) ./ fs
end

% the state of filter whose last outputs were y and last inputs x, the latest first
% > print filtic([1,2], [1,0.5], [3], [1])
function z = filtic(b, a, y, x = [0])
    n = max(numel(a), numel(b)) - 1
    z = zeros(n)
    {!serial for}
    for m = 0..n-1
        z[m] = _overlap(b, x, m + 1) - _overlap(a, y, m + 1)
    end
    z = z ./ a[0]
end

% the sum of the products of coefficients from one on with values
function s = _overlap(c, v, first)
    m = min(numel(c) - first, numel(v))
    s = m > 0 ? sum(reshape(c, [1, numel(c)])[first..first+m-1] .* reshape(v, [1, numel(v)])[0..m-1]) : 0
end

% normally distributed noise added so that the ratio of powers is snr decibels; power is the signal's in decibels, or "measured"
% > print size(awgn([1,2,3], 20, "measured"))
function y = awgn(x, snr, power = 0)
    level = isstring(power) ? mean(abs(x).^2) : 10.0^(power / 10.0)
    noise = level / 10.0^(snr / 10.0)
    if iscomplex(x)
        y = x + sqrt(noise / 2) .* (randn(size(x)) + 1j .* randn(size(x)))
    else
        y = x + sqrt(noise) .* randn(size(x))
    endif
end

% digital filter of Chebyshev's second kind: order n, rs decibels of attenuation from w on; kind and plane as for butter
% > [b, a] = cheby2(2, 40, 0.5); print round(b .* 1000)
function [b, a] = cheby2(n, rs, w, kind = "low", plane = "z")
    e = 1 / sqrt(10.0^(0.1 * rs) - 1)
    mu = asinh(1 / e) / n
    theta = pi .* (2 .* (1..n) - 1) ./ (2.0 * n)
    poles = 1 ./ complex(-sinh(mu) .* sin(theta), cosh(mu) .* cos(theta))
    c = cos(theta)
    zeros_at = 1 ./ c[abs(c) > 1e-6]
    z = complex(0 .* zeros_at, zeros_at)
    if _is_analogue(kind, plane)
        [b, a] = _analogue_of(z, poles, 1, w, kind)
    else
        [b, a] = _digital_of(z, poles, w, kind)
    endif
end

% a digital filter of an analogue low-pass with zeros z and poles p and edge 1, whose gain at 0 is 1, by the bilinear transform
function [b, a] = _digital_of(z, p, w, kind)
    edges = tan(pi .* horzcat(w) ./ 2)
    [many_z, many_p] = [numel(z), numel(p)]
    band = numel(edges) > 1
    [zd, pd] = [z, p]
    at = 1.0 + 0j
    if !band && kind == "low"
        [zd, pd] = [z .* edges[0], p .* edges[0]]
    elseif !band
        [zd, pd] = [edges[0] ./ z, edges[0] ./ p]
        zd = horzcat(zd, complex(zeros(1, many_p - many_z), zeros(1, many_p - many_z)))
        at = -1.0 + 0j
    else
        width = edges[1] - edges[0]
        middle = edges[0] * edges[1]
        stop = kind == "stop"
        [zs, ps] = [stop ? width ./ z : z .* width, stop ? width ./ p : p .* width]
        [zd, pd] = [_pair_of(zs, middle), _pair_of(ps, middle)]
        if stop
            extra = complex(zeros(1, many_p - many_z), sqrt(middle) .* ones(1, many_p - many_z))
            zd = horzcat(zd, extra, conj(extra))
        else
            zd = horzcat(zd, complex(zeros(1, many_p - many_z), zeros(1, many_p - many_z)))
            w0 = 2 * atan(sqrt(middle))
            at = exp(1j * w0)
        endif
    endif
    zd = (1 + zd) ./ (1 - zd)
    pd = (1 + pd) ./ (1 - pd)
    rest = numel(pd) - numel(zd)
    zd = horzcat(zd, complex(-ones(1, rest), zeros(1, rest)))
    b = real(poly(zd))
    a = real(poly(pd))
    gain = abs(_value_at(a, at) / _value_at(b, at))
    b = b .* gain
end

% where a band-pass has the zeros or poles of a low-pass
function y = _pair_of(s, middle)
    root = sqrt((s ./ 2).^2 - middle)
    y = horzcat(s ./ 2 + root, s ./ 2 - root)
end

% a polynomial at one place
function y = _value_at(p, x)
    y = 0.0 + 0j
    {!serial for}
    for k = 0..numel(p) - 1
        y = y * x + p[k]
    end
end

% zeros, poles and gain of a filter
% > [z, p, k] = tf2zp([2,-2], [1,-0.5]); print k
function [z, p, k] = tf2zp(b, a)
    first = find(b != 0)
    z = roots(b[int(first[0, 1])..numel(b) - 1])
    p = roots(a)
    k = b[int(first[0, 1])] / a[0]
end

% the filter with zeros z, poles p and gain k
% > [b, a] = zp2tf([1], [0.5], 2); print b, a
function [b, a] = zp2tf(z, p, k)
    b = k .* real(poly(z))
    a = real(poly(p))
end

% 1 if all poles of a filter lie inside the unit circle
% > print isstable([1], [1,-0.5])
function y = isstable(b, a)
    y = numel(a) < 2 ? 1 : int(all(abs(roots(a)) < 1))
end

% by how many samples a filter delays each of n frequencies, and the frequencies
% > [g, w] = grpdelay([1,2,1], [1], 4); print g
function [g, w] = grpdelay(b, a = [1], n = 512)
    [b, a] = [reshape(b, [1, numel(b)]), reshape(a, [1, numel(a)])]
    w = pi .* (0..n - 1) ./ n
    c = conv(b, conj(fliplr(a)))
    z = exp(-1j .* w)
    [top, bottom] = [zeros(1, n) + 0j, zeros(1, n) + 0j]
    {!serial for}
    for k = numel(c) - 1..-1..0
        top = top .* z + k * c[k]
        bottom = bottom .* z + c[k]
    end
    g = real(top ./ bottom) - (numel(a) - 1)
end

% correlation of two matrices at all shifts
% > print xcorr2(ones(2,2), ones(2,2))
function y = xcorr2(a, b = [])
    other = isempty(b) ? a : b
    y = conv2(a, rot90(conj(other), 2))
end

% elements in the order of their reversed bits; the length is a power of two
% > print bitrevorder([0,1,2,3])
function y = bitrevorder(x)
    y = x[int(_reversed(numel(x)))]
end

function at = _reversed(n)
    at = [0.0]
    {!serial for}
    while numel(at) < n
        at = horzcat(2 .* at, 2 .* at + 1)
    end
end

% the matrix of n rows of 1 and -1 that are orthogonal; n is a power of two
% > print hadamard(2)
function h = hadamard(n)
    h = ones(1, 1)
    while size(h, 0) < n
        h = vertcat(horzcat(h, h), horzcat(h, -h))
    end
    assert(size(h, 0) == n, "hadamard: the number of rows is a power of two")
end

% the matrix of the cosine transform of n samples
% > print round(dctmtx(2) .* 1000)
function d = dctmtx(n)
    k = reshape(0..n - 1, [n, 1])
    d = cos(pi .* k * (2 .* reshape(0..n - 1, [1, n]) + 1) ./ (2.0 * n)) .* sqrt(2.0 / n)
    d[0, :] = sqrt(1.0 / n)
end

% x at p/q of its sampling rate, through a low-pass (Kaiser's window)
% > print numel(resample([1,2,3,4,5,6], 1, 2))
function y = resample(x, p, q)
    shared = gcd(p, q)
    [p, q] = [int(p / shared), int(q / shared)]
    most = max(p, q)
    half = 10 * most
    t = (-half..half) ./ most
    h = sinc(t) .* reshape(kaiser(2 * half + 1, 5), [1, 2 * half + 1])
    h = p .* h ./ sum(h)
    up = zeros(1, numel(x) * p)
    up[0..p..numel(x) * p - 1] = reshape(x, [1, numel(x)])
    full_ = conv(up, h)
    n = int(ceil(numel(x) * p / (1.0 * q)))
    y = full_[half + q .* (0..n - 1)]
end

% every r-th sample, after a low-pass
% > print numel(decimate(1..30, 3))
function y = decimate(x, r)
    [b, a] = cheby1(8, 0.05, 0.8 / r)
    v = filtfilt(b, a, x)
    y = reshape(v, [1, numel(v)])[0..r..numel(x) - 1]
end

% coefficients of linear prediction of order n from correlations, the error of the prediction, and the reflections (Levinson and Durbin)
% > [a, e, k] = levinson([1,0.5,0.25], 2); print a
function [a, e, k] = levinson(r, n = 0)
    r = reshape(r, [1, numel(r)])
    order = n < 1 ? numel(r) - 1 : n
    a = zeros(1, order + 1) .* r[0]
    a[0] = 1
    k = zeros(order, 1) .* r[0]
    e = real(r[0])
    {!serial for}
    for m = 1..order
        s = r[m]
        {!serial for}
        for i = 1..m - 1
            s = s + a[i] * r[m - i]
        end
        g = -s / e
        k[m - 1, 0] = g
        before = copy(a)
        {!serial for}
        for i = 1..m - 1
            a[i] = before[i] + g * conj(before[m - i])
        end
        a[m] = g
        e = e * (1 - abs(g)^2)
    end
end

% correlation of a signal with itself at the first n + 1 shifts, divided by its length
function r = _biased(x, n)
    x = reshape(float(x), [1, numel(x)])
    m = numel(x)
    r = zeros(1, n + 1)
    {!serial for}
    for k = 0..n
        r[k] = sum(x[k..m - 1] .* x[0..m - 1 - k]) / m
    end
end

% linear prediction of order n: coefficients and the variance of the error
% > [a, g] = lpc([1,2,3,4,5], 2); print size(a)
function [a, g] = lpc(x, n)
    [a, g] = levinson(_biased(x, n), n)
end

% autoregressive model of order n by Yule's and Walker's equations: coefficients and the variance of the noise
% > [a, e] = aryule([1,2,3,4,5], 2); print size(a)
function [a, e] = aryule(x, n)
    [a, e] = levinson(_biased(x, n), n)
end

% autoregressive model of order n by Burg's method: coefficients and the variance of the noise
% > [a, e] = arburg([1,2,3,5,8], 2); print size(a)
function [a, e] = arburg(x, n)
    x = reshape(float(x), [1, numel(x)])
    count = numel(x)
    [f, b] = [x, x]
    a = [1.0]
    e = sum(x.^2) / count
    {!serial for}
    for m = 1..n
        ahead = f[1..numel(f) - 1]
        behind = b[0..numel(b) - 2]
        k = -2 * sum(ahead .* behind) / (sum(ahead.^2) + sum(behind.^2))
        f = ahead + k .* behind
        b = behind + k .* ahead
        a = horzcat(a, [0.0]) + k .* horzcat([0.0], fliplr(a))
        e = e * (1 - k^2)
    end
end

% smooth values: a polynomial of this order through n neighbours of each (n odd); the ends by the polynomials of the first and last n
% > print sgolayfilt([1,4,9,16,25], 2, 3)
function y = sgolayfilt(x, order, n)
    v = reshape(float(x), [numel(x), 1])
    half = idivide(n, 2)
    at = reshape(-half..half, [n, 1])
    powers = ones(n, 1)
    {!serial for}
    for k = 1..order
        powers = horzcat(powers, at.^k)
    end
    hat = powers * pinv(powers)
    m = numel(x)
    y = reshape(conv(reshape(v, [1, m]), fliplr(hat[half, :]), "same"), [m, 1])
    y[0..half - 1, 0] = (hat * v[0..n - 1, :])[0..half - 1, 0]
    y[m - half..m - 1, 0] = (hat * v[m - n..m - 1, :])[half + 1..n - 1, 0]
    y = reshape(y, size(x))
end

% part of a window that is raised with cosines at both ends: r of its length
% > print tukeywin(5, 0.5)
function w = tukeywin(n, r = 0.5)
    t = _window_places(n, "symmetric")
    if r <= 0
        w = ones(n)
    elseif r >= 1
        w = hann(n)
    else
        rise = 0.5 .* (1 + cos(2 * pi / r .* (t - r / 2)))
        fall = 0.5 .* (1 + cos(2 * pi / r .* (t - 1 + r / 2)))
        [low, high] = [float(t < r / 2), float(t > 1 - r / 2)]
        w = low .* rise + high .* fall + (1 - low - high)
    endif
end

% the flat top window of n samples
% > print flattopwin(5)
function w = flattopwin(n)
    t = 2 * pi .* _window_places(n, "symmetric")
    w = 0.21557895 - 0.41663158 .* cos(t) + 0.277263158 .* cos(2 .* t) - 0.083578947 .* cos(3 .* t) + 0.006947368 .* cos(4 .* t)
end

% wavelet transform over several levels: the coarsest values, then the details, coarsest first, and how many there are of each
% > [c, l] = wavedec([1,2,3,4], 2, "haar"); print l
function [c, l] = wavedec(x, levels, wavelet = "haar")
    a = reshape(float(x), [1, numel(x)])
    c = []
    l = [numel(x)]
    {!serial for}
    for k = 1..levels
        [a, d] = dwt(a, wavelet)
        d = reshape(d, [1, numel(d)])
        c = isempty(c) ? d : horzcat(d, c)
        l = horzcat([numel(d)], l)
    end
    a = reshape(a, [1, numel(a)])
    c = isempty(c) ? a : horzcat(a, c)
    l = horzcat([numel(a)], l)
end

% the details of one level of wavedec, 1 being the finest
% > [c, l] = wavedec([1,2,3,4], 2, "haar"); print detcoef(c, l, 1)
function d = detcoef(c, l, level)
    row = numel(l) - 1 - int(level)
    assert(row > 0 && row < numel(l) - 1, "detcoef: there is no such level")
    from = int(sum(l[0..row-1]))
    d = c[from..from + int(l[row]) - 1]
end

% the signal of wavedec's coefficients
% > [c, l] = wavedec([1,2,3,4], 2, "haar"); print waverec(c, l, "haar")
function x = waverec(c, l, wavelet = "haar")
    levels = numel(l) - 2
    from = int(l[0])
    x = c[0..from - 1]
    {!serial for}
    for k = 1..levels
        d = c[from..from + int(l[k]) - 1]
        from = from + int(l[k])
        x = idwt(reshape(x, [1, numel(x)]), d, wavelet, int(l[k + 1]))
    end
end

% moduli of descending Landen transforms of a modulus
function v = _landen(k)
    v = []
    while k > 1e-16 && numel(v) < 12
        k = (k / (1 + sqrt(1 - k^2)))^2
        v[end+1] = k
    end
end

% the elliptic functions cd and sn at places given as parts of the quarter period
function w = _cd_of(u, k)
    w = cos(u .* (pi / 2))
    v = fliplr(_landen(k))
    {!serial for}
    for m = 0..numel(v) - 1
        w = (1 + v[m]) .* w ./ (1 + v[m] .* w.^2)
    end
end

function w = _sn_of(u, k)
    w = _cd_of(1 - u, k)
end

% the modulus of a low-pass of order n with the modulus k1 of its ripples
function k = _modulus(n, k1)
    other = sqrt(1 - k1^2)
    half = floor(n / 2)
    u = (2 .* (1..half) - 1) ./ n
    k = half > 0 ? other^n * prod(_sn_of(u, other))^4 : other^n
    k = sqrt(1 - k^2)
end

% the complete elliptic integral of a modulus
function y = _quarter(k)
    [a, b] = [1.0, sqrt(1 - k^2)]
    {!serial for}
    for m = 0..20
        [a, b] = [(a + b) / 2, sqrt(a * b)]
    end
    y = pi / (2 * a)
end

% digital elliptic filter: order n, ripple rp below w and attenuation rs beyond, in decibels; kind and plane as for butter
% > [b, a] = ellip(3, 1, 40, 0.5); print round(b .* 1000)
function [b, a] = ellip(n, rp, rs, w, kind = "low", plane = "z")
    ripple = sqrt(10.0^(0.1 * rp) - 1)
    k1 = ripple / sqrt(10.0^(0.1 * rs) - 1)
    k = _modulus(n, k1)
    half = floor(n / 2)
    u = (2 .* (1..half) - 1) ./ n
    at = 1 ./ (k .* _cd_of(u, k))
    z = horzcat(complex(0 .* at, at), complex(0 .* at, -at))
    % where sn has the value i/ripple
    y = 1 / ripple
    v = horzcat(k1, _landen(k1))
    {!serial for}
    for m = 1..numel(v) - 1
        y = y / (1 + sqrt(1 + (y * v[m - 1])^2)) * 2 / (1 + v[m])
    end
    depth = 2 / pi * asinh(y) / n
    p = 1j .* _cd_of(complex(u, -depth .* ones(size(u))), k)
    p = horzcat(p, conj(p))
    if mod(n, 2) == 1
        p = horzcat(p, 1j .* _sn_of(complex(0.0, depth), k))
    endif
    kind = isstring(kind) && kind == "bandpass" ? "pass" : kind
    kind = kind == "bandstop" ? "stop" : kind
    gain = mod(n, 2) == 0 ? 10.0^(-rp / 20) : 1.0
    if _is_analogue(kind, plane)
        [b, a] = _analogue_of(z, p, gain, w, kind)
    else
        [b, a] = _digital_of(z, p, w, kind)
        b = b .* gain
    endif
end

% order of an elliptic filter with ripple rp below wp and attenuation rs from ws on, and its edge, as cheb1ord
% > [n, w] = ellipord(0.2, 0.3, 1, 40); print n
function [n, w] = ellipord(wp, ws, rp, rs, kind = "")
    k = 1 / _selectivity(wp, ws, kind)
    k1 = sqrt((10.0^(0.1 * rp) - 1) / (10.0^(0.1 * rs) - 1))
    n = int(ceil(_quarter(k) * _quarter(sqrt(1 - k1^2)) / (_quarter(sqrt(1 - k^2)) * _quarter(k1)) - 1e-6))
    w = wp
end

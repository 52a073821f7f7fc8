% Filters for bands of frequencies: signals without what lies outside a band, and filters whose largest error is least.

% the part of a signal below the frequency f, at the sampling rate fs (by default f is a part of half the rate); a symmetric filter of 60 decibels, without delay
% > print round(lowpass(ones(1,5), 0.5) .* 10)
function y = lowpass(x, f, fs = 2, ...options)
    edge = _edges(f, fs, "lowpass")
    y = _in_band(x, edge, 0.15 * (1 - edge[0]), "low")
end

% the part of a signal above the frequency f, as lowpass
% > print numel(highpass(1..9, 0.5))
function y = highpass(x, f, fs = 2, ...options)
    edge = _edges(f, fs, "highpass")
    y = _in_band(x, edge, 0.15 * edge[0], "high")
end

% the part of a signal between the frequencies f = [low,high], as lowpass
% > print numel(bandpass(1..9, [0.2,0.5]))
function y = bandpass(x, f, fs = 2, ...options)
    edges = _edges(f, fs, "bandpass")
    y = _in_band(x, edges, 0.15 * min(edges[0], 1 - edges[1]), "pass")
end

% a signal without what lies between the frequencies f = [low,high], as lowpass
% > print numel(bandstop(1..9, [0.2,0.5]))
function y = bandstop(x, f, fs = 2, ...options)
    edges = _edges(f, fs, "bandstop")
    y = _in_band(x, edges, 0.3 * (edges[1] - edges[0]), "stop")
end

% edges of a band as parts of half the sampling rate
function e = _edges(f, fs, name)
    e = horzcat(f) .* (2.0 / fs)
    assert(numel(e) == (name == "lowpass" || name == "highpass" ? 1 : 2), name + ": one edge, or two of a band")
    assert(all(e > 0) && all(e < 1) && e[0] <= e[end], name + ": edges lie between 0 and half the sampling rate")
end

% a signal through a filter whose edges have a width, both as parts of half the sampling rate
function y = _in_band(x, edges, width, kind)
    v = reshape(x, [1, numel(x)])
    half = int(min(ceil(52 / (2.285 * pi * width) / 2), max(floor((numel(v) - 1) / 2), 1)))
    k = -half..half
    low = kind == "pass" || kind == "stop" ? edges[0] * sinc(edges[0] .* k) : 0 .* k
    high = edges[end] * sinc(edges[end] .* k)
    h = (high - low) .* kaiser(2 * half + 1, 0.1102 * (60 - 8.7))
    if kind == "high" || kind == "stop"
        h = -h
        h[half] = h[half] + 1
    endif
    full = conv(v, h)
    y = reshape(full[half..half + numel(v) - 1], size(x))
end

% weights of a symmetric filter of order n whose largest error is least (Parks and McClellan): gains m at the band edges f, parts of half the sampling rate, and a weight for each band
% > print round(firpm(4, [0,0.3,0.6,1], [1,1,0,0]) .* 1000)
function h = firpm(n, f, m, weights = [])
    w = isempty(weights) ? ones(1, numel(f) / 2) : weights
    odd = mod(n, 2) == 1
    count = int(floor(n / 2)) + (odd ? 1 : 1)
    count = odd ? int((n + 1) / 2) : int(n / 2) + 1
    [at, want, weight] = _grid(f, m, w, count, odd)
    x = cos(pi .* at)
    chosen = int(round(linspace(0, numel(at) - 1, count + 1)))
    {!serial for}
    for step = 0..40
        [y, c, places] = _through(x, want, weight, chosen)
        e = weight .* (want - _rational(x, places, y, c))
        new = _extremes(e, count + 1)
        if numel(new) != count + 1 || all(new == chosen)
            break
        endif
        chosen = new
    end
    h = _weights_of(places, y, c, n, odd)
end

% the same as firpm
% > print round(remez(4, [0,0.3,0.6,1], [1,1,0,0]) .* 1000)
function h = remez(n, f, m, weights = [])
    h = firpm(n, f, m, weights)
end

% frequencies close enough to each other within the bands, with the gains and weights that a filter of cosines has there
function [at, want, weight] = _grid(f, m, w, count, odd)
    step = 1.0 / (16 * count)
    [at, want, weight] = {[], [], []}
    {!serial for}
    for b = 0..numel(f) / 2 - 1
        [low, high] = [f[2 * b], f[2 * b + 1]]
        high = odd && high > 1 - step ? 1 - step : high
        k = max(int(ceil((high - low) / step)), 2)
        places = linspace(low, high, k + 1)
        gains = m[2 * b] + (m[2 * b + 1] - m[2 * b]) .* (places - low) ./ max(f[2 * b + 1] - low, 1e-12)
        at = horzcat(at, places)
        want = horzcat(want, gains)
        weight = horzcat(weight, w[b] .* ones(1, k + 1))
    end
    if odd
        half = cos(pi .* at ./ 2)
        want = want ./ half
        weight = weight .* half
    endif
end

% values of the polynomial in cos(w) at all chosen places but the last, its barycentric weights there, and these places
function [y, c, places] = _through(x, want, weight, chosen)
    [t, d, w] = {x[chosen], want[chosen], weight[chosen]}
    a = _barycentric(t)
    sign = 1 - 2 .* mod(0..numel(t) - 1, 2)
    delta = sum(a .* d) / sum(a .* sign ./ w)
    y = d - delta .* sign ./ w
    places = t[0..end-1]
    y = y[0..end-1]
    c = _barycentric(places)
end

function a = _barycentric(t)
    a = ones(1, numel(t))
    {!serial for}
    for k = 0..numel(t) - 1
        others = t
        others[k] = []
        a[k] = 1 / prod(2 .* (t[k] - others))
    end
end

% a polynomial from its values at places
function v = _rational(x, places, y, c)
    top = zeros(size(x))
    bottom = zeros(size(x))
    exact = -1 .* ones(size(x))
    {!serial for}
    for k = 0..numel(places) - 1
        d = x - places[k]
        near = abs(d) < 1e-14
        d = d + near
        top = top + c[k] * y[k] ./ d
        bottom = bottom + c[k] ./ d
        exact = exact .* (1 - near) + k .* near
    end
    v = top ./ bottom
    at = find(exact >= 0)
    {!serial for}
    for k = 0..size(at, 0) - 1
        v[at[k, 1]] = y[int(exact[at[k, 1]])]
    end
end

% where an error has its largest values of alternating sign, so many of them
function list = _extremes(e, count)
    n = numel(e)
    list = []
    {!serial for}
    for k = 0..n - 1
        left = k == 0 ? 0.0 : e[k - 1]
        right = k == n - 1 ? 0.0 : e[k + 1]
        s = e[k] < 0 ? -1 : 1
        if s * e[k] > 0 && s * e[k] >= s * left && s * e[k] >= s * right
            last = numel(list) > 0 ? list[end] : -1
            if last >= 0 && e[last] * e[k] > 0
                if abs(e[k]) > abs(e[last])
                    list[end] = k
                endif
            else
                list[end+1] = k
            endif
        endif
    end
    while numel(list) > count
        if abs(e[list[0]]) < abs(e[list[end]])
            list[0] = []
        else
            list[numel(list) - 1] = []
        endif
    end
    list = int(list)
end

% weights of a filter whose response is a polynomial in cos(w), times cos(w/2) if the order is odd
function h = _weights_of(places, y, c, n, odd)
    total = int(n) + 1
    w = 2 * pi .* (0..total - 1) ./ total
    v = _rational(cos(w), places, y, c)
    if odd
        v = v .* cos(w ./ 2)
    endif
    h = zeros(1, total)
    {!serial for}
    for k = 0..total - 1
        h[k] = sum(v .* cos(w .* (k - n / 2.0))) / total
    end
end

% order of a filter by firpm: bands with edges f, gains and largest errors of each band, at the sampling rate fs; edges, gains and weights for firpm
% > [n, f, m, w] = firpmord([1500,2000], [1,0], [0.01,0.1], 8000); print n
function [n, edges, gains, weights] = firpmord(f, m, errors, fs = 2)
    e = 2.0 .* horzcat(f) ./ fs
    [p, s] = [log10(min(errors)), log10(max(errors))]
    width = min(e[1..2..end] - e[0..2..end]) / 2
    [d1, d2] = [s, p]
    d = (0.005309 * d1^2 + 0.07114 * d1 - 0.4761) * d2 - (0.00266 * d1^2 + 0.5941 * d1 + 0.4278)
    n = int(ceil(d / width - (11.01217 + 0.51244 * (d1 - d2)) * width))
    edges = horzcat(0, e, 1)
    gains = reshape(transpose(vertcat(m, m)), [1, 2 * numel(m)])
    weights = max(errors) ./ errors
end

% order and shape of Kaiser's window for bands with edges f, gains and largest errors, at the sampling rate fs: for fir1(n, w, kind) and kaiser(n+1, beta)
% > [n, w, beta] = kaiserord([1000,1500], [1,0], [0.01,0.01], 8000); print n
function [n, w, beta, kind] = kaiserord(f, m, errors, fs = 2)
    e = 2.0 .* horzcat(f) ./ fs
    attenuation = -20 * log10(min(errors))
    width = pi * min(e[1..2..end] - e[0..2..end])
    n = int(ceil((attenuation - 7.95) / (2.285 * width)))
    w = (e[0..2..end] + e[1..2..end]) ./ 2
    beta = attenuation > 50 ? 0.1102 * (attenuation - 8.7) : attenuation >= 21 ? 0.5842 * (attenuation - 21)^0.4 + 0.07886 * (attenuation - 21) : 0.0
    kind = m[0] == 0 ? (numel(m) > 2 ? "bandpass" : "high") : (numel(m) > 2 ? "stop" : "low")
    if kind == "high" && mod(n, 2) == 1
        n += 1
    endif
end

% x filtered with the weights b by Fourier transforms
% > print fftfilt([1,1], [1,2,3])
function y = fftfilt(b, x)
    v = reshape(x, [1, numel(x)])
    full = conv(v, reshape(b, [1, numel(b)]))
    y = reshape(full[0..numel(v) - 1], size(x))
end

% a rectangle of width w around 0
% > print rectpuls([-1,0,0.4])
function y = rectpuls(t, w = 1)
    y = (t >= -w / 2.0) .* (t < w / 2.0)
end

% a triangle of width w around 0, whose highest point is shifted by the skew s, -1 to 1
% > print tripuls([-0.25,0,0.5])
function y = tripuls(t, w = 1, s = 0)
    top = s * w / 2.0
    left = (t + w / 2.0) ./ max(top + w / 2.0, 1e-30)
    right = (w / 2.0 - t) ./ max(w / 2.0 - top, 1e-30)
    y = max(min(min(left, right), 1), 0)
end

% the power of a signal, or between the frequencies in f at the sampling rate fs
% > print bandpower([1,-1,1,-1])
function p = bandpower(x, fs = 1, f = [])
    if isempty(f)
        p = mean(abs(x).^2)
    else
        n = numel(x)
        v = abs(fft(reshape(x, [1, n]) .* 1.0)).^2 ./ n^2
        at = (0..n - 1) .* (1.0 * fs / n)
        at = min(at, fs - at)
        p = sum(v .* (at >= f[0]) .* (at <= f[1]))
    endif
end

% edges of analogue filters: those of digital ones, as parts of half the sampling rate, or with "s" as they are, in radians per second
function y = _analogue(w, kind)
    assert(kind == "" || kind == "s" || kind == "z", "edges are those of a digital filter (""z"") or of an analogue one (""s"")")
    y = kind == "s" ? horzcat(w) + 0.0 : tan(pi .* horzcat(w) ./ 2)
end

% the edges of _analogue as they were given: a number, or two
function w = _given(edges, kind)
    y = kind == "s" ? edges : 2 / pi .* atan(edges)
    w = numel(y) == 1 ? y[0] : y
end

% the pass edges of a band, moved for a stop band until they lie as far from its middle as the stop edges do
function p = _pass_edges(wp, ws, kind)
    [p, s] = [_analogue(wp, kind), _analogue(ws, kind)]
    if numel(p) > 1 && p[0] < s[0]
        middle = s[0] * s[1]
        p = [max(p[0], middle / p[1]), min(p[1], middle / p[0])]
    endif
end

% how far the stop edges lie from the pass edges of a low-pass
function ratio = _selectivity(wp, ws, kind)
    [p, s] = [_pass_edges(wp, ws, kind), _analogue(ws, kind)]
    if numel(p) == 1
        ratio = p[0] < s[0] ? s[0] / p[0] : p[0] / s[0]
    else
        at = abs(s.^2 - p[0] * p[1]) ./ (s .* (p[1] - p[0]))
        ratio = p[0] < s[0] ? min(1 ./ at) : min(at)
    endif
end

% the least order of Butterworth's filter that loses at most rp decibels at the frequency wp, or between two, and at least rs at ws, and its
% frequency, or two; kind and edges as for cheb1ord
% > [n, w] = buttord(0.2, 0.4, 3, 30); print n
function [n, w] = buttord(wp, ws, rp, rs, kind = "")
    [p, s] = [_pass_edges(wp, ws, kind), _analogue(ws, kind)]
    loss = 10.0^(0.1 * rp) - 1
    n = int(ceil(log10((10.0^(0.1 * rs) - 1) / loss) / (2 * log10(_selectivity(wp, ws, kind)))))
    edge = loss^(1 / (2 * n))
    % low-pass filters and bands that pass are wider than their pass edges
    factor = (p[0] < s[0]) == (numel(p) == 1) ? 1 / edge : edge
    if numel(p) == 1
        w = _given(p .* factor, kind)
    else
        half = (p[1] - p[0]) / 2 * factor
        w = _given(sqrt(half^2 + p[0] * p[1]) + [-half, half], kind)
    endif
end

% order of a Chebyshev filter of the first kind with ripple rp below wp and attenuation rs from ws on, in decibels; edges as parts of half the sampling
% rate, two of each for a band; those of an analogue filter, with the word "s", in radians per second
% > [n, w] = cheb1ord(0.2, 0.3, 1, 40); print n
function [n, w] = cheb1ord(wp, ws, rp, rs, kind = "")
    ratio = _selectivity(wp, ws, kind)
    n = int(ceil(acosh(sqrt((10.0^(0.1 * rs) - 1) / (10.0^(0.1 * rp) - 1))) / acosh(ratio) - 1e-6))
    w = wp
end

% order and stop edge of a Chebyshev filter of the second kind, as cheb1ord
% > [n, w] = cheb2ord(0.2, 0.3, 1, 40); print n
function [n, w] = cheb2ord(wp, ws, rp, rs, kind = "")
    ratio = _selectivity(wp, ws, kind)
    n = int(ceil(acosh(sqrt((10.0^(0.1 * rs) - 1) / (10.0^(0.1 * rp) - 1))) / acosh(ratio) - 1e-6))
    % the edge moves so that the pass edge has its ripple exactly
    factor = cosh(acosh(sqrt((10.0^(0.1 * rs) - 1) / (10.0^(0.1 * rp) - 1))) / n)
    w = ws
    if numel(wp) == 1
        p = _analogue(wp, kind)
        w = _given(wp < ws ? p .* factor : p ./ factor, kind)
    endif
end

% 1 if an analogue filter is asked for: by the word "s" in place of its kind, or behind it
function y = _is_analogue(kind, plane)
    y = kind == "s" || plane == "s"
end

% the analogue filter of a low-pass with zeros z and poles p and edge 1, whose gain at 0 is 1, times a gain; edges in radians per second
function [b, a] = _analogue_of(z, p, gain, w, kind)
    edges = horzcat(w) + 0.0
    band = numel(edges) > 1
    [high, stop] = [!band && kind == "high", band && (kind == "stop" || kind == "bandstop")]
    [width, middle] = band ? [edges[1] - edges[0], edges[0] * edges[1]] : [edges[0], 0]
    rest = numel(p) - numel(z)
    zd = numel(z) == 0 ? complex(zeros(1, 0), zeros(1, 0)) : high || stop ? width ./ z : z .* width
    pd = high || stop ? width ./ p : p .* width
    if band
        [zd, pd] = [_pair_of(zd, middle), _pair_of(pd, middle)]
    endif
    none = complex(zeros(1, rest), zeros(1, rest))
    if stop
        zd = horzcat(zd, none + 1j * sqrt(middle), none - 1j * sqrt(middle))
    elseif high || band
        zd = horzcat(zd, none)
    endif
    [b, a] = [real(poly(zd)), real(poly(pd))]
    if !high
        at = band && !stop ? 1j * sqrt(middle) : 0j
        gain = gain * abs(_value_at(a, at) / _value_at(b, at))
    endif
    b = horzcat(zeros(1, numel(a) - numel(b)), b .* gain)
end

% order of a filter by firpm, as firpmord
% > [n, f, m, w] = remezord([1500,2000], [1,0], [0.01,0.1], 8000); print n
function [n, edges, gains, weights] = remezord(f, m, errors, fs = 2)
    [n, edges, gains, weights] = firpmord(f, m, errors, fs)
end

% zeros, poles and gain of Butterworth's analogue low-pass of order n with edge 1
% > [z, p, k] = buttap(2); print numel(z), " ", k
function [z, p, k] = buttap(n)
    z = []
    angles = pi .* (2 .* (0..n-1) + n + 1) ./ (2 * n)
    p = transpose(cos(angles) + 1i .* sin(angles))
    k = 1
end

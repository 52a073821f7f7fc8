% Signals: transforms, windows, filters and their design, spectra, peaks. Frequencies are fractions of half the sampling rate unless a rate fs is given.

% Fourier transform of a vector, or of each column of a matrix; n elements, shortened or filled with zeros
% > print abs(fft([1,0,0,0]))
function y = fft(x, n = 0, dim = -1)
    y = _lines_of(x, n, false, dim)
end

% inverse of fft
% > print real(ifft(fft([1,2,3])))
function y = ifft(x, n = 0, dim = -1)
    y = _lines_of(x, n, true, dim)
end

% the transform of a vector, of each column, or of the lines along a dimension, of n elements
function y = _lines_of(x, n, back, dim)
    if dim > 1
        error("fft of the columns (dimension 0) or the rows (1) of a matrix, not along dimension ", dim)
    endif
    upright = dim < 0 ? size(x, 0) > 1 : dim == 0
    rows = upright ? transpose(x) : reshape(x, [size(x, 0), numel(x) / max(size(x, 0), 1)])
    wanted = isempty(n) ? 0 : int(n)
    length = wanted > 0 ? wanted : size(rows, 1)
    v = zeros(size(rows, 0), length) + 0i
    m = min(length, size(rows, 1))
    if m > 0
        v[:,0..m-1] = rows[:,0..m-1]
        v = back ? ifft1(v) : fft1(v)
    endif
    y = upright ? transpose(v) : reshape(v, [size(rows, 0), length])
end

% orthonormal cosine transform of pictures, along rows and columns
% > print dct2([[1,1],[1,1]])
function y = dct2(x)
    y = transpose(dct(transpose(dct(x))))
end

% inverse of dct2
% > print idct2([[2,0],[0,0]])
function y = idct2(x)
    y = transpose(idct(transpose(idct(x))))
end

% sin(pi*x)/(pi*x), 1 at 0
% > print sinc([0,0.5,1])
function y = sinc(x)
    zero = x == 0
    t = pi .* (x + zero)
    y = (1 - zero) .* sin(t) ./ t + zero
end

% the places of the points of a symmetric window in 0 to 1; of a periodic one they end before 1
function t = _window_places(n, sampling)
    last = sampling == "periodic" ? n : n - 1
    t = (0..n-1) ./ max(last, 1) + (n == 1 ? 0.5 : 0)
end

% Hann's window of n points that end at 0; sampling "symmetric", or "periodic" for spectra
% > print hann(5)
function w = hann(n, sampling = "symmetric")
    w = 0.5 - 0.5 .* cos(2 * pi .* _window_places(n, sampling))
end

% Hann's window without the zeros at its ends
% > print hanning(3)
function w = hanning(n)
    w = hann(n + 2)[1..n]
end

% Hamming's window of n points
% > print hamming(5)
function w = hamming(n, sampling = "symmetric")
    w = 0.54 - 0.46 .* cos(2 * pi .* _window_places(n, sampling))
end

% Blackman's window of n points
% > print blackman(5)
function w = blackman(n, sampling = "symmetric")
    t = 2 * pi .* _window_places(n, sampling)
    w = 0.42 - 0.5 .* cos(t) + 0.08 .* cos(2 .* t)
end

% the triangular window of n points that ends at 0
% > print bartlett(5)
function w = bartlett(n)
    w = n == 1 ? [1] : 1 - abs(2 .* _window_places(n, "symmetric") - 1)
end

% the window of n ones
% > print rectwin(3)
function w = rectwin(n)
    w = ones(n)
end

% the triangular window of n points without zeros at its ends
% > print triang(4)
function w = triang(n)
    w = 1 - abs(2 .* (0..n-1) - (n - 1)) ./ (mod(n, 2) == 1 ? n + 1 : n)
end

% Gauss's window of n points; alpha is half its length in standard deviations
% > print gausswin(5)
function w = gausswin(n, alpha = 2.5)
    w = exp(-0.5 .* (alpha .* (2 .* _window_places(n, "symmetric") - 1)) .^ 2)
end

% Kaiser's window of n points; the larger beta, the lower its side lobes
% > print kaiser(5, 3)
function w = kaiser(n, beta = 0.5)
    t = 2 .* _window_places(n, "symmetric") - 1
    w = _bessel_i0(beta .* sqrt(max(1 - t .^ 2, 0))) ./ _bessel_i0(beta)
end

% the modified Bessel function of order 0, from its series
function y = _bessel_i0(x)
    y = 1.0 + 0 .* x
    part = y
    {!serial for}
    for k=1..60
        part = part .* (x ./ (2 * k)) .^ 2
        y = y + part
    end
end

% angles without jumps by more than pi from one element of a vector to the next
% > print unwrap([3,-3])
function y = unwrap(x)
    v = reshape(x, [1, numel(x)])
    y = x
    if numel(v) > 1
        d = diff(v)
        jump = -2 * pi .* round(d ./ (2 * pi))
        y = reshape(v + horzcat([0], cumsum(jump)), size(x))
    endif
end

% a vector without its straight line ("linear"), or without its mean ("constant")
% > print detrend([1,2,4])
function y = detrend(x, what = "linear")
    n = numel(x)
    if what == "constant" || n < 2
        y = x - mean(x)
    else
        t = reshape((0..n-1) - (n - 1) / 2, size(x))
        y = x - mean(x) - t .* (sum(t .* x) / sum(t .^ 2))
    endif
end

% a vector filtered forwards and backwards, so that nothing moves; the coefficients as for filter
% > print filtfilt([0.5,0.5], [1], [1,2,3,4,5,6,7,8])
function y = filtfilt(numerator, denominator, x)
    b = _row(numerator)
    a = _row(denominator)
    n = max(numel(b), numel(a))
    edge = 3 * (n - 1)
    v = reshape(x, [1, numel(x)])
    m = numel(v)
    assert(m > edge, "filtfilt: the signal must have more than 3*(order) elements")
    if edge > 0
        v = horzcat(2 .* v[0] - v[edge..-1..1], v, 2 .* v[m-1] - v[m-2..-1..m-1-edge])
    endif
    {!serial for}
    for pass=0..1
        v = fliplr(_filter_at_rest(b, a, v))
    end
    y = reshape(v[edge..edge+m-1], size(x))
end

% a vector filtered as if its first element had always been there
function y = _filter_at_rest(b, a, v)
    gain = sum(b) / sum(a)
    y = filter(b, a, v - v[0]) + gain * v[0]
end

% n-1 zeros after each element of a vector, or of each column of a matrix; first: how many zeros stand before it
% > print upsample([1,2], 3)
function y = upsample(x, n, first = 0)
    upright = size(x, 0) > 1
    y = zeros(size(x, 0) * (upright ? n : 1), size(x, 1) * (upright ? 1 : n)) + (iscomplex(x) ? 0i : 0)
    if upright
        y[first..n..size(y, 0)-1,:] = x
    else
        y[0,first..n..size(y, 1)-1] = x
    endif
end

% every n-th element of a vector, or of each column of a matrix, from one on
% > print downsample([1,2,3,4,5], 2)
function y = downsample(x, n, first = 0)
    y = size(x, 0) > 1 ? x[first..n..size(x, 0)-1,:] : x[0,first..n..size(x, 1)-1]
end

% the analytic signal of a vector: its imaginary part is the Hilbert transform
% > print imag(hilbert([1,0,-1,0]))
function y = hilbert(x)
    n = numel(x)
    h = zeros(n)
    h[0] = 1
    {!serial for}
    for k=1..n-1
        h[k] = 2 * k < n ? 2 : 2 * k == n ? 1 : 0
    end
    y = reshape(ifft1(fft1(reshape(x, [1, n])) .* h), size(x))
end

% the envelope of a vector: the length of its analytic signal
% > print envelope([1,0,-1,0])
function y = envelope(x)
    y = abs(hilbert(x))
end

% a cosine at times t whose frequency goes from f0 at time 0 to f1 at time t1
% > print chirp([0,0.5,1], 0, 1, 2)
function y = chirp(t, f0, t1, f1)
    y = cos(2 * pi .* (f0 .* t + (f1 - f0) / (2 * t1) .* t .^ 2))
end

% 1 and -1 in turn with period 2*pi; duty is the percentage of the time at 1
% > print square([0,2,4])
function y = square(t, duty = 50)
    y = 2 .* (mod(t, 2 * pi) < 2 * pi * duty / 100) - 1
end

% from -1 up to 1 with period 2*pi; width is the part of the time in which it rises
% > print sawtooth([0,pi])
function y = sawtooth(t, width = 1)
    u = mod(t, 2 * pi) ./ (2 * pi)
    y = width >= 1 ? 2 .* u - 1 : 1 - 2 .* max((width - u) ./ max(width, 1e-9), (u - width) ./ (1 - width))
end

% median of n neighbouring elements of a vector; 0 counts beyond its ends
% > print medfilt1([1,9,3,4], 3)
function y = medfilt1(x, n = 3)
    h = idivide(int(n), 2)
    v = horzcat(zeros(h), reshape(x, [1, numel(x)]), zeros(h))
    y = 0.0 .* x
    {!serial for}
    for i=0..numel(x)-1
        y[i] = median(v[i..i+n-1])
    end
end

% local maxima of a vector, from height on and so many elements apart: their values and places, counted from 0
% > print findpeaks([0,2,1,3,0])
function [peaks, at] = findpeaks(x, height = -inf, apart = 1)
    v = reshape(x, [1, numel(x)])
    n = numel(v)
    found = zeros(n)
    {!serial for}
    for i=1..n-2
        next = i + 1
        {!serial for}
        while next < n - 1 && v[next] == v[i]
            next += 1
        end
        found[i] = v[i] > v[i-1] && v[i] > v[next] && v[i] >= height
    end
    {!serial for}
    for i=0..n-1
        {!serial for}
        for j=max(i-apart+1,0)..min(i+apart-1,n-1)
            if found[i] > 0 && found[j] > 0 && (v[j] < v[i] || v[j] == v[i] && j > i)
                found[j] = 0
            endif
        end
    end
    at = find(found)[:,1]
    at = reshape(at, [1, numel(at)])
    peaks = v[at]
end

% quotient and rest of two polynomials, highest power first
% > print deconv([1,3,2], [1,1])
function [q, r] = deconv(y, divisor)
    x = _row(divisor)
    n = numel(y) - numel(x) + 1
    none = iscomplex(x) || iscomplex(y) ? 0i : 0.0
    r = copy(reshape(y, [1, numel(y)])) + none
    q = zeros(max(n, 1)) + none
    {!serial for}
    for k=0..n-1
        q[k] = r[k] / x[0]
        {!serial for}
        for m=0..numel(x)-1
            r[k+m] -= q[k] * x[m]
        end
    end
end

% Frequencies are in radians per sample, or in the unit of a rate that is given.
% the response of a filter at n frequencies below half the sampling rate, and the frequencies; options are n (512), the rate, "whole"
% > print abs(freqz([1,1], [1], 2))
function [h, w] = freqz(b, a = [1], ...options)
    [numbers, kind] = [[512, 2 * pi], "half"]
    given = 0
    {!serial for}
    for k=0..numel(options)-1
        if type(options[k], "string")
            kind = options[k]
        else
            numbers[given] = options[k]
            given += 1
        endif
    end
    if kind != "whole" && kind != "half"
        error "freqz: 'whole' or 'half' is meant, not '", kind, "'"
    endif
    [n, fs] = [numbers[0], numbers[1]]
    w = (0..n-1) .* ((kind == "whole" ? 2 : 1) * pi / n)
    h = _response(b, w) ./ _response(a, w)
    w = w .* (fs / (2 * pi))
end

% numbers as a row, also a single one
function y = _row(x)
    y = numel(x) == 1 ? [sum(x)] : reshape(x, [1, numel(x)])
end

% a polynomial in exp(-iw)
function y = _response(p, w)
    b = _row(p)
    y = zeros(numel(w)) + 0i
    {!serial for}
    for k=0..numel(b)-1
        y = y + b[k] .* exp(-1i .* (k .* w))
    end
end

% a filter of n+1 coefficients with linear phase that passes frequencies below w, between w[0] and w[1], or with "high" or "stop" the
% others; its window has n+1 points, Hamming's by default, and may stand in the place of the kind
% > print fir1(2, 0.5)
function b = fir1(n, w, kind = "low", window = [])
    named = type(kind, "string")
    what = named ? kind : "low"
    shape = numel(window) > 0 ? _row(window) : named ? hamming(n + 1) : _row(kind)
    known = what == "low" || what == "high" || what == "bandpass" || what == "stop"
    assert(known, "fir1: the kind is ""low"", ""high"", ""bandpass"" or ""stop""")
    assert(numel(shape) == n + 1, "fir1: the window needs n+1 points")
    t = (0..n) - n / 2
    two = numel(w) > 1
    low = two ? w[0] : w
    b = low .* sinc(low .* t)
    if two
        b = w[1] .* sinc(w[1] .* t) - b
    endif
    if what == "high" || what == "stop"
        b = sinc(t) - b
    endif
    b = b .* shape
    centre = what == "high" ? pi : two && what != "stop" ? pi * (w[0] + w[1]) / 2 : 0
    b = b ./ abs(sum(b .* exp(-1i * centre .* t)))
end

% Butterworth's filter of order n that passes frequencies below w; between w[0] and w[1]; with "high" or "stop" the others. The word "s" in place
% of the kind or behind it asks for the analogue filter, with w in radians per second
% > [b, a] = butter(1, 0.5); print b, a
function [b, a] = butter(n, w, kind = "low", plane = "z")
    angles = pi .* (2 .* (0..n-1) + n + 1) ./ (2 * n)
    poles = cos(angles) + 1i .* sin(angles)
    if _is_analogue(kind, plane)
        [b, a] = _analogue_of([], poles, 1, w, kind)
    else
        [b, a] = _digital(poles, 1, w, kind)
    endif
end

% Chebyshev's filter (type I) of order n with ripples of r decibels where it passes; w, kind and plane as for butter
% > [b, a] = cheby1(1, 3, 0.5); print b, a
function [b, a] = cheby1(n, r, w, kind = "low", plane = "z")
    angles = pi .* (2 .* (0..n-1) + n + 1) ./ (2 * n)
    height = asinh(1 / sqrt(10 ^ (r / 10) - 1)) / n
    poles = sinh(height) .* cos(angles) + (1i * cosh(height)) .* sin(angles)
    gain = mod(n, 2) == 1 ? 1 : 10 ^ (-r / 20)
    if _is_analogue(kind, plane)
        [b, a] = _analogue_of([], poles, gain, w, kind)
    else
        [b, a] = _digital(poles, gain, w, kind)
    endif
end

% the digital filter of the analog one with these poles and this greatest gain, by the bilinear transform
function [b, a] = _digital(p, gain, w, kind)
    known = kind == "low" || kind == "high" || kind == "bandpass" || kind == "stop"
    assert(known, "the kind of a filter is ""low"", ""high"", ""bandpass"" or ""stop""")
    n = numel(p)
    warped = tan(pi .* w ./ 2)
    two = numel(w) > 1
    centre = two ? sqrt(warped[0] * warped[1]) : 0
    width = two ? warped[1] - warped[0] : warped
    high = kind == "high" || kind == "stop"
    s = high ? width ./ p : width .* p
    if two
        half = s ./ 2
        root = sqrt(half .^ 2 - centre ^ 2 + 0i)
        s = horzcat(half + root, half - root)
    endif
    z = (1 + s) ./ (1 - s)
    zeroes = ones(numel(z)) + 0i
    middle = 2 * atan(centre)
    if two && kind == "stop"
        zeroes = horzcat(exp(1i * middle) .* ones(n), exp(-1i * middle) .* ones(n))
    elseif two
        zeroes = horzcat(ones(n) + 0i, -ones(n) + 0i)
    elseif !high
        zeroes = -zeroes
    endif
    a = real(poly(z))
    b = real(poly(zeroes))
    unit = two && kind != "stop" ? exp(1i * middle) : high && !two ? -1 + 0i : 1 + 0i
    b = b .* (gain * abs(_horner(a, unit) / _horner(b, unit)))
end

% a polynomial at a complex number
function y = _horner(p, z)
    y = 0i
    {!serial for}
    for k=0..numel(p)-1
        y = y * z + p[k]
    end
end

% the power spectrum of a signal and its frequencies, for the sampling rate fs
% > print periodogram([1,-1,1,-1])
function [power, f] = periodogram(x, fs = 2 * pi)
    [power, f] = pwelch(x, ones(numel(x)), 0, [], fs)
end

% the Fourier transforms of windowed segments, one per column, that overlap by so many samples (by default half), the frequencies and
% the times of their middles; the window is a vector, or n samples of hamming; nfft samples with zeros behind, and a sampling rate
% > print size(spectrogram(ones(64), 16))
function [s, f, t] = spectrogram(x, window = 256, overlap = [], nfft = [], fs = 2 * pi)
    w = numel(window) > 1 ? reshape(window, [1, numel(window)]) : hamming(min(int(sum(window)), numel(x)))
    m = numel(w)
    over = numel(overlap) == 0 ? -1 : sum(overlap)
    step = max(m - (over < 0 ? idivide(m, 2) : int(over)), 1)
    n = numel(nfft) == 0 ? m : max(int(sum(nfft)), m)
    v = reshape(x, [1, numel(x)])
    bins = idivide(n, 2) + 1
    columns = numel(v) < m ? 0 : idivide(numel(v) - m, step) + 1
    s = zeros(bins, columns) + 0i
    {!serial for}
    for k=0..columns-1
        segment = zeros(n) + 0i
        segment[0..m-1] = v[k*step..k*step+m-1] .* w
        s[:,k] = reshape(fft1(segment)[0..bins-1], [bins, 1])
    end
    f = (0..bins-1) .* (fs / n)
    t = ((0..columns-1) .* step + m / 2) ./ fs
end

% writes a sound, its parameters in the order of an older function of MATLAB
% > wavwrite([0,0.5,-0.5], 8000, "a.wav")
function [] = wavwrite(y, fs, file)
    audiowrite(file, y, fs)
end

% a signal with n - 1 values between its own, smooth where it is
% > print interp([1,2,3,4,5,6,7,8,9,10], 2)[4]
function y = interp(x, n)
    y = resample(x, n, 1)
end

% the circular convolution of two vectors, of n elements (by default as many as conv has)
% > print cconv([1,2,3], [1,1], 3)
function y = cconv(a, b, n = 0)
    full = conv(reshape(a, [1, numel(a)]), reshape(b, [1, numel(b)]))
    m = n > 0 ? int(n) : numel(full)
    y = 0 .* full[0] .* ones(m)
    {!serial for}
    for k=0..numel(full)-1
        y[mod(k, m)] += full[k]
    end
end

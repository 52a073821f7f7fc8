% Spectra of two signals, transforms over short times, parts of signals, filters in sections.

% segments of n samples as columns, each overlapping the one before by so many; the last one is filled up with zeros
% > print buffer([1,2,3,4,5], 2)
function y = buffer(x, n, overlap = 0)
    v = reshape(x, [1, numel(x)])
    step = n - overlap
    assert(step > 0, "buffer: segments overlap by less than their length")
    count = int(ceil(numel(v) / step))
    wide = zeros(overlap + count * step) + (iscomplex(x) ? 0i : 0)
    wide[overlap..overlap+numel(v)-1] = v
    y = zeros(n, count) + (iscomplex(x) ? 0i : 0)
    {!serial for}
    for k = 0..count-1
        y[:,k] = transpose(wide[k*step..k*step+n-1])
    end
end

% the cross spectrum of two signals by Welch's method, conj(X) .* Y as a mean over windowed segments, as pwelch takes them, and its frequencies
% > print size(cpsd(ones(64), ones(64), 16))
function [power, f] = cpsd(x, y, window = 256, overlap = -1, nfft = -1, fs = 2 * pi)
    [w, step, n] = _segments_of(x, window, overlap, nfft)
    [u, v] = [reshape(x, [1, numel(x)]), reshape(y, [1, numel(y)])]
    bins = idivide(n, 2) + 1
    power = complex(zeros(bins))
    count = 0
    {!serial for}
    for first = 0..step..numel(u)-numel(w)
        part = first..first+numel(w)-1
        power = power + conj(_padded_fft(u[part] .* w, n)[0..bins-1]) .* _padded_fft(v[part] .* w, n)[0..bins-1]
        count += 1
    end
    power = power .* _one_sided(n) ./ (max(count, 1) * fs * sum(w .^ 2))
    f = (0..bins-1) .* (fs / n)
end

% the power spectrum by Welch's method: the mean over windowed segments that overlap by so many samples (by default half), with zeros up to nfft behind each
% > print numel(pwelch(ones(64), 16))
function [power, f] = pwelch(x, window = 256, overlap = -1, nfft = -1, fs = 2 * pi)
    [cross, f] = cpsd(x, x, window, overlap, nfft, fs)
    power = real(cross)
end

% the share of y's power at each frequency that follows from x, 0 to 1, by Welch's method
% > print size(mscohere(ones(64), ones(64), 16))
function [c, f] = mscohere(x, y, window = 256, overlap = -1, nfft = -1, fs = 2 * pi)
    [both, f] = cpsd(x, y, window, overlap, nfft, fs)
    c = abs(both) .^ 2 ./ (pwelch(x, window, overlap, nfft, fs) .* pwelch(y, window, overlap, nfft, fs))
end

% the transfer function from x to y by Welch's method
% > print size(tfestimate(ones(64), ones(64), 16))
function [h, f] = tfestimate(x, y, window = 256, overlap = -1, nfft = -1, fs = 2 * pi)
    [both, f] = cpsd(x, y, window, overlap, nfft, fs)
    h = both ./ pwelch(x, window, overlap, nfft, fs)
end

% window, step and length of transforms that Welch's method means
function [w, step, n] = _segments_of(x, window, overlap, nfft)
    w = numel(window) > 1 ? reshape(window, [1, numel(window)]) : hamming(min(int(window), numel(x)))
    step = max(numel(w) - (isempty(overlap) || overlap < 0 ? idivide(numel(w), 2) : int(overlap)), 1)
    n = isempty(nfft) || nfft < 0 ? numel(w) : int(nfft)
    assert(n >= numel(w), "transforms are at least as long as the window")
end

function y = _padded_fft(x, n)
    wide = zeros(n) + (iscomplex(x) ? 0i : 0)
    wide[0..numel(x)-1] = x
    y = fft1(wide)
end

% twice the power of all frequencies that stand for a negative one, too
function s = _one_sided(n)
    s = ones(idivide(n, 2) + 1) .* 2
    s[0] = 1
    if mod(n, 2) == 0
        s[numel(s)-1] = 1
    endif
end

% the transforms of windowed segments, one in each column, with all frequencies; istft takes them back
% > print size(stft(ones(64), hann(16), 8))
function s = stft(x, window = [], overlap = -1)
    given = isempty(window) ? hann(min(128, numel(x))) : window
    w = reshape(given, [1, numel(given)])
    n = numel(w)
    step = n - (overlap < 0 ? idivide(n, 2) : int(overlap))
    v = reshape(x, [1, numel(x)])
    count = idivide(numel(v) - n, step) + 1
    s = complex(zeros(n, count))
    {!serial for}
    for k = 0..count-1
        s[:,k] = transpose(fft1(v[k*step..k*step+n-1] .* w))
    end
end

% the signal whose transforms of windowed segments these are, by weighted sums of the segments
% > x = 0..63; y = istft(stft(x, hann(16) + 0.1, 8), hann(16) + 0.1, 8); print max(abs(x - y)) < 0.001
function x = istft(s, window, overlap = -1)
    w = reshape(window, [1, numel(window)])
    n = numel(w)
    step = n - (overlap < 0 ? idivide(n, 2) : int(overlap))
    count = size(s, 1)
    x = zeros((count - 1) * step + n)
    weight = zeros(numel(x))
    {!serial for}
    for k = 0..count-1
        part = k*step..k*step+n-1
        x[part] = x[part] + real(ifft1(transpose(s[:,k]))) .* w
        weight[part] = weight[part] + w .^ 2
    end
    x = x ./ max(weight, eps)
end

% the transform of x at the frequencies with these numbers, counted from 0 as in fft
% > print round(abs(goertzel([1,0,-1,0], [1])))
function y = goertzel(x, at)
    v = reshape(x, [1, numel(x)])
    k = reshape(float(at), [numel(at), 1])
    y = transpose(exp(-2j * pi / numel(v) .* (k * (0..numel(v)-1))) * transpose(v))
end

% the z-transform of x at m points from a on, each the last one times w^-1 (chirp z)
% > print round(abs(czt([1,2,3])))
function y = czt(x, m = -1, w = 0, a = 1)
    n = numel(x)
    m = m < 0 ? n : m
    ratio = w == 0 ? exp(-2j * pi / m) : complex(w)
    k = reshape(float(0..m-1), [m, 1])
    points = (complex(a) .* exp(-(log(ratio)) .* k))
    y = transpose(exp(-log(points) * float(0..n-1)) * transpose(complex(reshape(x, [1, n]))))
end

% x with p-1 zeros between its samples, filtered by h, of which every q-th sample stays
% > print upfirdn([1,2,3], [1,1], 2, 1)
function y = upfirdn(x, h, p = 1, q = 1)
    wide = zeros((numel(x) - 1) * p + 1) + (iscomplex(x) ? 0i : 0)
    wide[int(0..p..numel(wide)-1)] = reshape(x, [1, numel(x)])
    y = conv(reshape(h, [1, numel(h)]), wide)
    y = y[int(0..q..numel(y)-1)]
end

% covariances at lags, as xcorr without the means: the values and the lags
% > print xcov([1,2,3])
function [r, lags] = xcov(x, ...more)
    centred = v -> reshape(v, [1, numel(v)]) - mean(v)
    others = cell(numel(more))
    {!serial for}
    for k = 0..numel(more) - 1
        second = k == 0 && !isstring(more[k]) && (numel(more[k]) != 1 || ndims(more[k]) > 0)
        others[k] = second ? centred(more[k]) : more[k]
    end
    [r, lags] = xcorr(centred(x), ...others)
end

% the power of a signal over that of noise in decibels
% > print round(snr([3,3], [1,-1])*10)
function r = snr(x, noise)
    r = 10 * log10(sum(abs(x) .^ 2) / sum(abs(noise) .^ 2))
end

% the real cepstrum: the inverse transform of the logarithm of the absolute transform
% > print size(rceps([1,2,3,4]))
function c = rceps(x)
    c = real(ifft1(log(abs(fft1(reshape(x, [1, numel(x)]))))))
end

% a filter as sections of second order [b0,b1,b2,1,a1,a2], one in each row, and the factor in front
% > print size(tf2sos([1,2,1], [1,0,0.25]))
function [sos, gain] = tf2sos(b, a)
    [sos, gain] = zp2sos(roots(b), roots(a), b[find(b != 0)[0,1]] / a[0])
    if numel(roots(b)) == 0 && numel(b) > 1
        gain = b[find(b != 0)[0,1]] / a[0]
    endif
end

% as tf2sos, of zeros, poles and the factor in front
% > print size(zp2sos([-1,-1], [0.5,-0.5], 2))
function [sos, gain] = zp2sos(z, p, k)
    count = max(idivide(max(numel(z), numel(p)) + 1, 2), 1)
    [zeros_, poles] = [_pairs(z, count), _pairs(p, count)]
    sos = zeros(count, 6)
    {!serial for}
    for i = 0..count-1
        sos[i, 0..2] = zeros_[i, :]
        sos[i, 3..5] = poles[i, :]
    end
    gain = k
end

% polynomials of second order whose roots these are: conjugate ones together, the rest by size
function y = _pairs(r, count)
    y = zeros(count, 3)
    y[:, 0] = 1
    if numel(r) > 0
        v = reshape(complex(r), [1, numel(r)])
        tiny = 1e-6 * max(max(abs(v)), 1)
        upper = v[imag(v) > tiny]
        lone = sort(real(v[abs(imag(v)) <= tiny]))
        row = 0
        {!serial for}
        for i = 0..numel(upper)-1
            y[row, 1..2] = [-2 * real(upper[i]), abs(upper[i])^2]
            row += 1
        end
        {!serial for}
        for i = 0..2..numel(lone)-1
            second = i + 1 < numel(lone) ? lone[i+1] : 0
            y[row, 1..2] = [-(lone[i] + second), lone[i] * second]
            row += 1
        end
    endif
end

% a signal filtered by sections of second order one after another
% > print sosfilt([[1,0,0,1,-0.5,0]], [1,0,0])
function y = sosfilt(sos, x)
    y = x
    {!serial for}
    for i = 0..size(sos, 0)-1
        y = filter(sos[i, 0..2], sos[i, 3..5], y)
    end
end

% the matrix whose product with a column of n numbers is their Fourier transform
% > print round(real(dftmtx(2)))
function y = dftmtx(n)
    y = fft1(eye(n) + 0i)
end

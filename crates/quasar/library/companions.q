% What programs of MATLAB call beside: distances, matrices with names, curves through points, data files, marks in drawings.

% decibels of amplitudes
% > print db(10)
function y = db(x)
    y = 20 .* log10(abs(x))
end

% distances of all pairs of rows, in the order of squareform
% > print pdist([[0,0],[3,4],[0,4]])
function d = pdist(x)
    n = size(x, 0)
    all_ = pdist2(x, x)
    d = zeros(1, n * (n - 1) / 2)
    k = 0
    {!serial for}
    for i = 0..n - 2
        {!serial for}
        for j = i + 1..n - 1
            d[k] = all_[i, j]
            k += 1
        end
    end
end

% the matrix of distances that pdist gives as a list
% > print squareform([5,4,3])
function y = squareform(d)
    n = int(round((1 + sqrt(1 + 8.0 * numel(d))) / 2))
    y = zeros(n, n)
    k = 0
    {!serial for}
    for i = 0..n - 2
        {!serial for}
        for j = i + 1..n - 1
            y[i, j] = d[k]
            y[j, i] = d[k]
            k += 1
        end
    end
end

% means of n neighbours (an odd number), of fewer at the ends
% > print smooth([1,5,3,4,2], 3)
function y = smooth(x, n = 5)
    v = reshape(x, [1, numel(x)]) .* 1.0
    half = int(floor((n - 1) / 2))
    y = zeros(1, numel(v))
    {!serial for}
    for k = 0..numel(v) - 1
        reach = min(half, min(k, numel(v) - 1 - k))
        y[k] = mean(v[k - reach..k + reach])
    end
end

% the place near start where a function has its least value, and the value
% > print round(fminunc(t -> (t[0]-1)^2, [0]) .* 100)
function [x, least] = fminunc(f, start)
    [x, least] = fminsearch(f, start, 1e-6)
end

% the integral of a function from a to b, like integral
% > print round(quadgk(t -> t.^2, 0, 3))
function s = quadgk(f, a, b, tolerance = 1e-6)
    s = integral(f, a, b, tolerance)
end

% the integral of a function from a to b, like integral
% > print round(quadl(t -> t.^2, 0, 3))
function s = quadl(f, a, b, tolerance = 1e-6)
    s = integral(f, a, b, tolerance)
end

% the integral of f(x,y) over a rectangle
% > print round(dblquad((x,y) -> x*y, 0, 2, 0, 2))
function s = dblquad(f, a, b, c, d)
    s = integral2(f, a, b, c, d)
end

% the integral of f(x,y) over a rectangle, by Gauss's rule in eight times eight parts
% > print round(integral2((x,y) -> x*y, 0, 2, 0, 2))
function s = integral2(f, a, b, c, d)
    t = [-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640]
    w = [0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891]
    [h, k] = [(b - a) / 16.0, (d - c) / 16.0]
    s = 0.0
    {!serial for}
    for i = 0..7
        {!serial for}
        for j = 0..7
            for m = 0..4
                for n = 0..4
                    s += w[m] * w[n] * f(a + h * (2 * i + 1 + t[m]), c + k * (2 * j + 1 + t[n]))
                end
            end
        end
    end
    s = s * h * k
end

% Pascal's matrix of n rows
% > print pascal(3)
function y = pascal(n)
    y = ones(n, n)
    {!serial for}
    for i = 1..n - 1
        for j = 1..n - 1
            y[i, j] = y[i - 1, j] + y[i, j - 1]
        end
    end
end

% Wilkinson's matrix of n rows
% > print wilkinson(3)
function y = wilkinson(n)
    y = zeros(n, n)
    for i = 0..n - 1
        for j = 0..n - 1
            y[i, j] = i == j ? abs(i - (n - 1) / 2.0) : (abs(i - j) == 1 ? 1.0 : 0.0)
        end
    end
end

% the exact inverse of Hilbert's matrix of n rows
% > print invhilb(2)
function y = invhilb(n)
    y = zeros(n, n)
    p = 1.0 * n
    {!serial for}
    for i = 1..n
        r = p * p
        y[i - 1, i - 1] = r / (2 * i - 1)
        {!serial for}
        for j = i + 1..n
            r = -((n - j + 1) * r * (n + j - 1)) / (j - 1.0)^2
            y[i - 1, j - 1] = r / (i + j - 1)
            y[j - 1, i - 1] = r / (i + j - 1)
        end
        p = (n - i) * p * (n + i) / (1.0 * i * i)
    end
end

% complete elliptic integrals of the first and second kind at the parameter m
% > print round(ellipke(0.5) .* 1000)
function [first, second] = ellipke(m)
    a = ones(size(m))
    b = sqrt(1 - m)
    c = sqrt(1.0 .* m)
    total = m ./ 2.0
    scale = 0.5
    {!serial for}
    for k = 0..8
        c = (a - b) ./ 2
        mean_ = (a + b) ./ 2
        b = sqrt(a .* b)
        a = mean_
        scale = scale * 2
        total = total + scale .* c.^2
    end
    first = pi ./ (2 .* a)
    second = first .* (1 - total)
end

% weights of a filter of order n with the gains m at the frequencies f, parts of half the sampling rate from 0 to 1
% > print round(fir2(4, [0,1], [1,1]) .* 1000)
function h = fir2(n, f, m, window = [])
    points = 1024
    at = (0..points) ./ (1.0 * points)
    gain = interp1(f + (0..numel(f) - 1) .* 1e-9, m, at)
    gain = gain .* (1 - isnan(gain))
    wave = gain .* exp(-1j .* (pi * n / 2.0 .* at))
    whole = [...wave, ...fliplr(conj(wave[1..points - 1]))]
    h = real(ifft(whole))
    w = isempty(window) ? hamming(n + 1) : reshape(window, [1, n + 1])
    h = h[0..n] .* w
end

% weights of a symmetric filter of even order n with the least mean squared error: gains m at the band edges f, and a weight for each band
% > print round(firls(4, [0,0.3,0.6,1], [1,1,0,0]) .* 1000)
function h = firls(n, f, m, weights = [])
    assert(mod(n, 2) == 0, "firls: the order is even")
    half = int(n / 2)
    w = isempty(weights) ? ones(1, numel(f) / 2) : weights
    Q = zeros(half + 1, half + 1)
    d = zeros(half + 1, 1)
    {!serial for}
    for b = 0..numel(f) / 2 - 1
        [low, high] = [f[2 * b] * 1.0, f[2 * b + 1] * 1.0]
        k = 64 * (half + 1)
        at = low + (high - low) .* ((0..k - 1) + 0.5) ./ k
        c = cos(pi .* transpose(0..half) .* at)
        gains = m[2 * b] + (m[2 * b + 1] - m[2 * b]) .* (at - low) ./ (high - low)
        scale = w[b] * (high - low) / k
        Q = Q + scale .* (c * transpose(c))
        d = d + scale .* reshape(sum(c .* gains, 1), [half + 1, 1])
    end
    a = reshape(Q \ d, [1, half + 1])
    h = [...fliplr(a[1..half]) ./ 2, a[0], ...a[1..half] ./ 2]
end

% n samples of the response of a filter to a step, and their numbers
% > print stepz([1], [1,-0.5], 3)
function [y, t] = stepz(b, a = [1], n = 64)
    t = 0..n - 1
    y = filter(b, a, ones(1, n))
end

% the unwrapped phase of a filter at n frequencies, and the frequencies
% > print size(phasez([1,1], [1], 8))
function [phase, w] = phasez(b, a = [1], n = 512)
    [h, w] = freqz(b, a, n)
    phase = unwrap(angle(h))
end

% a cosine of frequency f whose amplitude is Gauss's, with relative bandwidth bw at 6 decibels
% > print gausspuls([0], 1000, 0.5)
function y = gausspuls(t, f = 1000, bw = 0.5)
    v = -(bw * f * pi)^2 / (4 * log(0.501187233627272))
    y = exp(-v .* t.^2) .* cos(2 * pi * f .* t)
end

% a vertical line over the height of the curve that was drawn last, between two heights
% > plot([0,1,4]); hold("on"); xline(1)
function h = xline(x, style = "k--", between = [0, 1])
    h = plot([x, x], between, isstring(style) && strlen(style) < 4 ? style : "k--")
end

% a horizontal line between two places
% > plot([0,1,4]); hold("on"); yline(1)
function h = yline(y, style = "k--", between = [0, 1])
    h = plot(between, [y, y], isstring(style) && strlen(style) < 4 ? style : "k--")
end

% the outline of a rectangle, "Position", [x,y,width,height]
% > rectangle("Position", [1,1,3,2])
function h = rectangle(...options)
    p = [0, 0, 1, 1]
    color = "k"
    {!serial for}
    for k = 0..2..numel(options) - 2
        if lower(options[k]) == "position"
            p = options[k + 1]
        elseif lower(options[k]) == "edgecolor" && isstring(options[k + 1])
            color = options[k + 1]
        endif
    end
    h = line([p[0], p[0] + p[2], p[0] + p[2], p[0], p[0]], [p[1], p[1], p[1] + p[3], p[1] + p[3], p[1]], "Color", color)
end

% writes what a figure shows to a file, like saveas
% > plot([0,1,4]); exportgraphics(gcf(), "squares.png")
function [] = exportgraphics(figure_, file, ...options)
    saveas(figure_, file)
end

% writes a matrix to a file of numbers with commas between them
% > writematrix([[1,2],[3,4]], "m.csv"); print csvread("m.csv")
function [] = writematrix(x, file, ...options)
    csvwrite(file, x)
end

% the matrix in a file of numbers with commas between them
% > csvwrite("m.csv", [[1,2],[3,4]]); print readmatrix("m.csv")
function x = readmatrix(file, ...options)
    x = csvread(file)
end

% writes a matrix to a file of numbers with commas between them
% > dlmwrite("m.csv", [[1,2],[3,4]]); print csvread("m.csv")
function [] = dlmwrite(file, x, ...options)
    csvwrite(file, x)
end

% the matrix in a file of numbers with commas between them
% > csvwrite("m.csv", [[1,2],[3,4]]); print dlmread("m.csv")
function x = dlmread(file, ...options)
    x = csvread(file)
end

% seconds between two times of clock on one day
% > print etime([2020,1,1,10,0,0], [2020,1,1,10,1,5])
function s = etime(a, b)
    s = 86400.0 * (b[2] - a[2]) + 3600.0 * (b[3] - a[3]) + 60.0 * (b[4] - a[4]) + b[5] - a[5]
end

% the word of a cell that begins with a text, an error if there is none
% > print validatestring("med", {"mean","median"})
function s = validatestring(text, words, ...rest)
    s = ""
    {!serial for}
    for k = 0..numel(words) - 1
        if strncmpi(text, words[k], strlen(text))
            s = words[k]
        endif
    end
    assert(strlen(s) > 0, "none of the words begins with " + text)
end

% elements in reverse order along a dimension, as flip
% > print flipdim([[1,2],[3,4]], 0)
function y = flipdim(x, dim = -1)
    y = flip(x, dim)
end

% the mean of the squares of all elements, such as errors
% > print mse([1,-2,2])
function y = mse(e)
    y = mean(abs(e).^2)
end

% 1 divided by the condition number of a square matrix in the norm of columns, 0 if it has no inverse
% > print round(1000*rcond([[1,2],[3,4]]))
function y = rcond(A)
    y = det(A) == 0 ? 0 : 1 / cond(A, 1)
end

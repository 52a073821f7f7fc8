% Linear systems given by their transfer functions: responses, poles, connections, drawings.

% a linear system by the coefficients of its transfer function, highest power first; discrete in time with a sampling time ts
% > s = tf([1], [1,2]); print dcgain(s)
function s = tf(num, den = [1], ts = 0)
    s = object(kind := "tf", num := _coefficients(num), den := _coefficients(den), Ts := ts)
    assert(any(s.den != 0), "tf: the denominator is 0")
end

% numbers as a row without leading zeros
function y = _coefficients(x)
    y = numel(x) == 1 ? [sum(x)] : reshape(x, [1, numel(x)])
    first = 0
    while first < numel(y) - 1 && y[first] == 0
        first += 1
    end
    y = y[first..numel(y)-1]
end

% a system: one that is there, or the one with these coefficients
function s = _system(a, b = [])
    if type(a, "object")
        s = a
    else
        s = tf(a, isempty(b) ? [1] : b)
    endif
end

% where the transfer function is infinite
% > print pole(tf([1], [1,3,2]))
function p = pole(s)
    p = roots(s.den)
end

% where the transfer function is 0
% > print zero(tf([1,3], [1,3,2]))
function z = zero(s)
    z = roots(s.num)
end

% the factor between input and output when nothing changes any more
% > print dcgain(tf([3], [1,2]))
function k = dcgain(s)
    at = s.Ts == 0 ? 0 : 1
    k = polyval(s.num, at) / polyval(s.den, at)
end

% the value of a transfer function at a number
% > print evalfr(tf([1], [1,1]), 1)
function h = evalfr(s, x)
    h = polyval(s.num, x) ./ polyval(s.den, x)
end

% sum of two polynomials, highest powers first
function y = _sum_of(a, b)
    n = max(numel(a), numel(b))
    y = horzcat(zeros(n - numel(a)), a) + horzcat(zeros(n - numel(b)), b)
end

% two systems, the second fed with what the first gives
% > print dcgain(series(tf([2],[1,1]), tf([3],[1,1])))
function s = series(a, b)
    s = tf(conv(a.num, b.num), conv(a.den, b.den), max(a.Ts, b.Ts))
end

% the sum of two systems
% > print dcgain(parallel(tf([2],[1,1]), tf([3],[1,1])))
function s = parallel(a, b)
    s = tf(_sum_of(conv(a.num, b.den), conv(b.num, a.den)), conv(a.den, b.den), max(a.Ts, b.Ts))
end

% a system whose output goes through another one and is taken from its input (or added with sign 1)
% > print dcgain(feedback(tf([9],[1,1]), tf([1],[1])))
function s = feedback(a, b, sign = -1)
    back = _system(b)
    s = tf(conv(a.num, back.den), _sum_of(conv(a.den, back.den), -sign .* conv(a.num, back.num)), max(a.Ts, back.Ts))
end

% matrices of a transfer function: x' = Ax + Bu, y = Cx + Du
% > [A, B, C, D] = tf2ss([1,3], [1,3,2]); print A
function [A, B, C, D] = tf2ss(num, den)
    a = _coefficients(den)
    b = _coefficients(num) ./ a[0]
    a = a ./ a[0]
    n = numel(a) - 1
    assert(numel(b) <= n + 1, "tf2ss: the numerator has a higher degree than the denominator")
    b = horzcat(zeros(n + 1 - numel(b)), b)
    D = b[0]
    A = zeros(n, n)
    B = zeros(n, 1)
    C = zeros(1, n)
    if n > 0
        A[0,:] = -a[1..n]
        B[0,0] = 1
        C[0,:] = b[1..n] - b[0] .* a[1..n]
        {!serial for}
        for k = 1..n-1
            A[k,k-1] = 1
        end
    endif
end

% times over which a response settles
function t = _times(s, t)
    if isempty(t)
        p = pole(s)
        slowest = 1.0
        if numel(p) > 0
            speeds = s.Ts == 0 ? abs(real(p)) : abs(log(max(abs(p), 1e-9)))
            speeds = sort(reshape(speeds, [1, numel(speeds)]))
            speeds = speeds[find(speeds > 1e-6)]
            slowest = numel(speeds) > 0 ? sum(speeds[0,0]) : 1.0
        endif
        t = s.Ts == 0 ? linspace(0, 7 / slowest, 200) : (0..min(int(ceil(7 / slowest)), 1000)) .* s.Ts
    elseif numel(t) == 1
        t = s.Ts == 0 ? linspace(0, sum(t), 200) : (0..int(floor(sum(t) / s.Ts))) .* s.Ts
    endif
end

% the output of a system for the input u, which is straight between the equally spaced times t
% > print lsim(tf([1],[1,1]), [1,1,1], [0,1,2])
function [y, t] = lsim(s, u, t, x0 = [])
    y = zeros(numel(u))
    if s.Ts > 0
        y = filter(horzcat(zeros(max(numel(s.den) - numel(s.num), 0)), s.num), s.den, u)
    else
        [A, B, C, D] = tf2ss(s.num, s.den)
        n = size(A, 0)
        x = isempty(x0) ? zeros(n, 1) : reshape(x0, [n, 1])
        h = numel(t) > 1 ? t[1] - t[0] : 0
        % The input and its slope are states of their own: one exponential advances all.
        M = zeros(n + 2, n + 2)
        if n > 0
            M[0..n-1,0..n-1] = A .* h
            M[0..n-1,n] = reshape(B .* h, [n, 1])
        endif
        M[n,n+1] = 1
        M = expm(M)
        z = vertcat(x, zeros(2, 1))
        {!serial for}
        for k = 0..numel(u)-1
            y[k] = (n > 0 ? sum(C .* transpose(z[0..n-1,0])) : 0) + D * u[k]
            z[n,0] = u[k]
            z[n+1,0] = k + 1 < numel(u) ? u[k+1] - u[k] : 0
            z = M * z
        end
    endif
end

% the output of a system for an input of 1 from time 0 on, and the times; drawn, too
% > [y, t] = step(tf([1],[1,1]), [0,1,2]); print y
function [y, t] = step(s, t = [])
    t = _times(s, t)
    y = lsim(s, ones(numel(t)), t)
    _drawn(s, t, y, "step response")
end

% the output of a system for an impulse at time 0, and the times; drawn, too
% > [y, t] = impulse(tf([1],[1,1]), [0,1,2]); print y
function [y, t] = impulse(s, t = [])
    t = _times(s, t)
    if s.Ts > 0
        u = zeros(numel(t))
        u[0] = 1
        y = lsim(s, u, t)
    else
        % An impulse is a start at B.
        [A, B, C, D] = tf2ss(s.num, s.den)
        y = lsim(s, zeros(numel(t)), t, B)
    endif
    _drawn(s, t, y, "impulse response")
end

function [] = _drawn(s, t, y, name)
    if s.Ts > 0
        stairs(t, y)
    else
        plot(t, y)
    endif
    title(name)
    xlabel("time")
end

% amounts and phases in degrees of a system at angular frequencies, and these; drawn, too
% > [m, p, w] = bode(tf([1],[1,1]), [1.0]); print m, " ", p
function [amount, phase, w] = bode(s, a = [], w = [])
    if !type(s, "object")
        s = _system(s, a)
    elseif !isempty(a)
        w = a
    endif
    if isempty(w)
        w = s.Ts > 0 ? logspace(-3, 0, 200) .* (pi / s.Ts) : logspace(-2, 3, 200)
    endif
    w = numel(w) == 1 ? [sum(w)] : w
    h = evalfr(s, s.Ts > 0 ? exp(1i .* (w .* s.Ts)) : 1i .* w)
    amount = abs(h)
    phase = unwrap(angle(h)) .* (180 / pi)
    if numel(w) > 1
        subplot(2, 1, 0)
        semilogx(w, 20 .* log10(amount))
        ylabel("amount (dB)")
        subplot(2, 1, 1)
        semilogx(w, phase)
        ylabel("phase (degrees)")
        xlabel("angular frequency")
    endif
end

% the response of an analogue filter at angular frequencies
% > print abs(freqs([1], [1,1], [1.0]))
function h = freqs(b, a, w)
    s = 1i .* w
    h = polyval(b, s) ./ polyval(a, s)
end

% poles (crosses) and zeros (circles) of a system in the complex plane, drawn
% > [p, z] = pzmap(tf([1,3], [1,3,2])); print p, " ", z
function [p, z] = pzmap(s)
    p = pole(s)
    z = zero(s)
    _circle_of_unit(s.Ts > 0)
    plot(real(p), imag(p), "x")
    if numel(z) > 0
        plot(real(z), imag(z), "o")
    endif
    hold("off")
end

% zeros and poles of a digital filter in the complex plane, drawn with the circle of radius 1
% > zplane([1,1], [1,-0.5])
function [] = zplane(b, a = [1])
    s = tf(b, a, 1)
    pzmap(s)
end

function [] = _circle_of_unit(shown)
    if shown
        a = linspace(0, 2 * pi, 100)
        plot(cos(a), sin(a), ":")
    endif
    hold("on")
end

% the discrete system of a continuous one whose input is held between samples
% > d = c2d(tf([1],[1,1]), 1); print d.den
function d = c2d(s, ts)
    [A, B, C, D] = tf2ss(s.num, s.den)
    n = size(A, 0)
    M = zeros(n + 1, n + 1)
    if n > 0
        M[0..n-1,0..n-1] = A .* ts
        M[0..n-1,n] = reshape(B .* ts, [n, 1])
    endif
    M = expm(M)
    d = tf([D], [1], ts)
    if n > 0
        P = M[0..n-1,0..n-1]
        q = reshape(M[0..n-1,n], [n, 1])
        den = real(poly(eig(P)))
        % C adj(zI - P) q is the difference of two characteristic polynomials.
        num = real(poly(eig(P - q * C))) - den + D .* den
        d = tf(num, den, ts)
    endif
end

% residues, poles and the polynomial part of b/a; of a pole that occurs n times, those of the powers 1 to n
% > [r, p, k] = residue([1,2], [1,4,3]); print r, " ", p
function [r, p, k] = residue(b, a)
    bottom = _coefficients(a)
    top = _coefficients(b)
    k = []
    if numel(top) >= numel(bottom)
        [k, top] = deconv(top, bottom)
    endif
    p = roots(bottom)
    [alike, power] = _poles_together(p)
    if max(power) > 1
        p = reshape(alike, size(p))
        n = numel(p)
        r = reshape(_shares_of(horzcat(zeros(1, n - numel(top)), top), alike, power, 1) ./ bottom[0], size(p))
        [r, p] = _real_where_all_are(r, p)
    else
        r = polyval(top, p) ./ polyval(polyder(bottom), p)
    endif
end

% poles of which those that differ by less than a thousandth are made one and stand together, and for each how many of its like end with it
function [q, power] = _poles_together(p)
    n = numel(p)
    [q, power] = [complex(zeros(1, n), zeros(1, n)), ones(1, n)]
    v = complex(reshape(p, [1, n]))
    taken = zeros(1, n)
    k = 0
    {!serial for}
    for m = 0..n - 1
        near = (abs(v - v[m]) <= 1e-3 * max(abs(v[m]), 1e-6)) .* (1 - taken)
        count = taken[m] ? 0 : int(sum(near))
        for c = 1..count
            q[k] = sum(v .* near) / count
            power[k] = c
            k += 1
        end
        taken = count > 0 ? max(taken, near) : taken
    end
end

% the numerators of partial fractions with these poles and powers, whose sum has the numerator top and as many coefficients as there are
% poles; the products of the other poles have zeros before (front) or behind
function r = _shares_of(top, p, power, front)
    n = numel(p)
    A = complex(zeros(n, n), zeros(n, n))
    {!serial for}
    for m = 0..n - 1
        others = copy(p)
        others[m+1-int(power[m])..m] = []
        c = numel(others) > 0 ? complex(poly(others)) : [1.0 + 0j]
        none = complex(zeros(1, n - numel(c)), zeros(1, n - numel(c)))
        A[:,m] = transpose(front ? horzcat(none, c) : horzcat(c, none))
    end
    r = solve(A, transpose(complex(top)))
end

% residues and poles as real numbers where none has an imaginary part
function [r, p] = _real_where_all_are(r, p)
    if all(abs(imag(p)) < 1e-12)
        [r, p] = {real(r), real(p)}
    endif
end

% the coefficients of a filter that is given as sections of second order, one per row
% > [b, a] = sos2tf([[1,2,1,1,0.5,0.2]]); print b, " ", a
function [b, a] = sos2tf(sections, gain = 1)
    b = [1.0 * gain]
    a = [1.0]
    {!serial for}
    for k = 0..size(sections, 0) - 1
        b = conv(b, reshape(sections[k,0..2], [1,3]))
        a = conv(a, reshape(sections[k,3..5], [1,3]))
    end
end

% the digital filter of an analogue one by the bilinear transform at the sampling rate fs; a frequency fp can be kept
% > [b, a] = bilinear([1], [1,1], 0.5); print b, a
function [b, a] = bilinear(num, den, fs, fp = 0)
    rate = fp > 0 ? pi * fp / tan(pi * fp / fs) : 1.0 * fs
    [bs, as] = [_coefficients(num), _coefficients(den)]
    n = max(numel(bs), numel(as)) - 1
    b = zeros(1, n + 1)
    a = zeros(1, n + 1)
    [up, down] = [[1.0, 1.0], [2.0 * rate, -2.0 * rate]]
    {!serial for}
    for k = 0..n
        term = [1.0]
        for m = 0..n - 1
            term = conv(term, m < k ? down : up)
        end
        if k < numel(bs)
            b = b + bs[numel(bs) - 1 - k] .* term
        endif
        if k < numel(as)
            a = a + as[numel(as) - 1 - k] .* term
        endif
    end
    b = b ./ a[0]
    a = a ./ a[0]
end

% the digital filter whose impulse response is that of an analogue one, sampled at the rate fs; the poles are all different
% > [b, a] = impinvar([1], [1,1], 1); print round(a .* 1000)
function [b, a] = impinvar(num, den, fs = 1)
    [r, p, k] = residue(num, den)
    assert(isempty(k), "impinvar: the numerator has a lower degree than the denominator")
    at = exp(reshape(p, [1, numel(p)]) ./ fs)
    a = real(poly(at))
    b = zeros(1, numel(at))
    {!serial for}
    for m = 0..numel(at) - 1
        others = at
        others[m] = []
        b = b + real(r[m] .* poly(others)) ./ fs
    end
end

% residues, poles and direct terms of b/a as polynomials in 1/z; of a pole that occurs n times, those of the powers 1 to n
% > [r, p, k] = residuez([1], [1,-0.75,0.125]); print r, " ", p
function [r, p, k] = residuez(b, a)
    [top, bottom] = [_coefficients(b) ./ a[0], _coefficients(a) ./ a[0]]
    k = []
    if numel(top) >= numel(bottom)
        [quotient, rest] = deconv(fliplr(top), fliplr(bottom))
        k = fliplr(quotient)
        top = fliplr(rest)
        top = top[0..numel(bottom) - 2]
    endif
    p = reshape(roots(bottom), [1, numel(bottom) - 1])
    [alike, power] = _poles_together(p)
    if max(power) > 1
        p = alike
    endif
    n = numel(p)
    r = reshape(_shares_of(horzcat(top, zeros(1, n - numel(top))), p, power, 0), [1, n])
    [r, p] = _real_where_all_are(r, p)
end

% zeros, poles and gain of a filter whose b and a are polynomials in 1/z: both are as long as the longer one
% > [z, p, k] = tf2zpk([1,0.5], [1,0,0.25]); print z, " ", k
function [z, p, k] = tf2zpk(b, a)
    [num, den] = [_coefficients(b), _coefficients(a)]
    n = max(numel(num), numel(den))
    num = horzcat(num, zeros(1, n - numel(num)))
    den = horzcat(den, zeros(1, n - numel(den)))
    [z, p, k] = tf2zp(num, den)
end

% the transfer function of matrices, as tf2ss gives them
% > [num, den] = ss2tf([[-1]], [[1]], [[2]], [[0]]); print num, " ", den
function [num, den] = ss2tf(A, B, C, D)
    den = real(poly(eig(A)))
    num = real(poly(eig(A - B * C))) - den + D .* den
    num = reshape(num, [1, numel(num)])
end

% matrices of a filter that is given by zeros, poles and gain
% > [A, B, C, D] = zp2ss([], [-1], 2); print C
function [A, B, C, D] = zp2ss(z, p, k)
    [b, a] = zp2tf(z, p, k)
    [A, B, C, D] = tf2ss(b, a)
end

% zeros, poles and gain of matrices, as tf2zp
% > [z, p, k] = ss2zp([[-1]], [[1]], [[2]], [[0]]); print p
function [z, p, k] = ss2zp(A, B, C, D)
    [b, a] = ss2tf(A, B, C, D)
    [z, p, k] = tf2zp(b, a)
end

% zeros, poles and gain of a filter that is given as sections of second order
% > [z, p, k] = sos2zp([[1,2,1,1,0.5,0.2]]); print k
function [z, p, k] = sos2zp(sections, gain = 1)
    [b, a] = sos2tf(sections, gain)
    [z, p, k] = tf2zp(b, a)
end

% sections of second order of matrices
% > print size(ss2sos([[-0.5]], [[1]], [[2]], [[1]]))
function s = ss2sos(A, B, C, D)
    [b, a] = ss2tf(A, B, C, D)
    s = tf2sos(b, a)
end

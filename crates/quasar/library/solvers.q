% Zeros, least values, integrals, differential equations and systems of equations, with functions as arguments.

% a place between a and b where f changes its sign, or near one place x that is given (Brent)
% > print fzero(x -> x^2 - 2, [0,2])
function x = fzero(f, start, tolerance = 1e-6)
    [a, b] = _bracket(f, start)
    [fa, fb] = [f(a), f(b)]
    [c, fc, d, e] = [a, fa, b - a, b - a]
    k = 0
    while fb != 0 && k < 200
        if fb * fc > 0
            [c, fc, d] = [a, fa, b - a]
            e = d
        endif
        if abs(fc) < abs(fb)
            [a, b, c] = [b, c, b]
            [fa, fb, fc] = [fb, fc, fb]
        endif
        m = (c - b) / 2
        near = 2 * eps * abs(b) + tolerance / 2
        if abs(m) <= near
            break
        endif
        if abs(e) < near || abs(fa) <= abs(fb)
            [d, e] = [m, m]
        else
            [p, q] = _brent_step(a, b, c, [fa, fb, fc], m)
            if 2 * p < min(3 * m * q - abs(near * q), abs(e * q))
                e = d
                d = p / q
            else
                [d, e] = [m, m]
            endif
        endif
        [a, fa] = [b, fb]
        b = abs(d) > near ? b + d : b + (m > 0 ? near : -near)
        fb = f(b)
        k += 1
    end
    x = b
end

% the step p/q by a line or a parabola through three points
function [p, q] = _brent_step(a, b, c, v, m)
    s = v[1] / v[0]
    if a == c
        p = 2 * m * s
        q = 1 - s
    else
        [t, r] = [v[0] / v[2], v[1] / v[2]]
        p = s * (2 * m * t * (t - r) - (b - a) * (r - 1))
        q = (t - 1) * (r - 1) * (s - 1)
    endif
    if p > 0
        q = -q
    else
        p = -p
    endif
end

% two places between which f changes its sign
function [a, b] = _bracket(f, start)
    a = start
    b = start
    if numel(start) > 1
        [a, b] = [start[0], start[1]]
    else
        step = max(abs(start) / 50, 0.02)
        k = 0
        while f(a) * f(b) > 0 && k < 100
            [a, b] = [start - step, start + step]
            step = step * 1.4142
            k += 1
        end
    endif
    if f(a) * f(b) > 0
        error "fzero: f has the same sign at both ends"
    endif
end

% where a function of one number is least between a and b, and what it is there; by golden sections and parabolas
% > print round(1000 * fminbnd(t -> (t-1)^2, -3, 3)) / 1000
function [x, least] = fminbnd(f, a, b, tolerance = 1e-5)
    share = (3 - sqrt(5)) / 2
    [low, high] = [1.0 * a, 1.0 * b]
    x = low + share * (high - low)
    [w, v] = [x, x]
    least = f(x)
    [fw, fv] = [least, least]
    [move, last] = [0.0, 0.0]
    rounds = 0
    while rounds < 500 && abs(x - (low + high) / 2) > 2 * (tolerance / 3 + 1e-7 * abs(x)) - (high - low) / 2
        rounds += 1
        near = tolerance / 3 + 1e-7 * abs(x)
        middle = (low + high) / 2
        r = (x - w) * (least - fv)
        q = (x - v) * (least - fw)
        p = (x - v) * q - (x - w) * r
        q = 2 * (q - r)
        p = q > 0 ? -p : p
        q = abs(q)
        if abs(last) > near && abs(p) < abs(q * last / 2) && p > q * (low - x) && p < q * (high - x)
            last = move
            move = p / q
        else
            last = x < middle ? high - x : low - x
            move = share * last
        endif
        u = x + (abs(move) >= near ? move : (move > 0 ? near : -near))
        fu = f(u)
        if fu <= least
            if u < x
                high = x
            else
                low = x
            endif
            [v, fv, w, fw, x, least] = [w, fw, x, least, u, fu]
        else
            if u < x
                low = u
            else
                high = u
            endif
            if fu <= fw || w == x
                [v, fv, w, fw] = [w, fw, u, fu]
            elseif fu <= fv || v == x || v == w
                [v, fv] = [u, fu]
            endif
        endif
    end
end

% the place near start where f, a function of a vector, is least, and its value (Nelder and Mead)
% > print round(fminsearch(x -> (x[0]-1)^2 + (x[1]-2)^2, [0,0]))
function [x, least] = fminsearch(f, start, tolerance = 1e-4, most = 0)
    n = numel(start)
    limit = most > 0 ? most : 200 * n
    points = repmat(reshape(1.0 .* start, [1, n]), [n + 1, 1])
    values = zeros(n + 1)
    {!serial for}
    for k=0..n
        if k > 0
            points[k,k-1] = start[k-1] == 0 ? 0.00025 : 1.05 * start[k-1]
        endif
        values[k] = f(points[k,:])
    end
    steps = 0
    repeat
        [values, order] = sort(values)
        points = points[order,:]
        middle = sum(points[0..n-1,:], 0) ./ n
        worst = points[n,:]
        there = 2 .* middle - worst
        v = f(there)
        if v < values[0]
            further = 3 .* middle - 2 .* worst
            w = f(further)
            if w < v
                [there, v] = [further, w]
            endif
        elseif v >= values[n-1]
            inner = v < values[n] ? 1.5 .* middle - 0.5 .* worst : 0.5 .* middle + 0.5 .* worst
            w = f(inner)
            if w <= min(v, values[n])
                [there, v] = [inner, w]
            else
                points = _shrunk(points)
                {!serial for}
                for k=1..n
                    values[k] = f(points[k,:])
                end
                [there, v] = [points[n,:], values[n]]
            endif
        endif
        points[n,:] = there
        values[n] = v
        steps += 1
        small = max(abs(values - values[0])) <= tolerance && max(abs(points - points[[0],:])) <= tolerance
    until small || steps >= limit
    [least, k] = min(values)
    x = ndims(start) == 0 ? points[k,0] : reshape(points[k,:], size(start))
end

% all points moved half way to the first
function y = _shrunk(points)
    y = (points + points[[0],:]) ./ 2
end

% the integral of f from a to b, either of which may be infinite; f takes a vector of places (Gauss and Kronrod, adaptive)
% > print integral(x -> x.^2, 0, 3)
function s = integral(f, a, b, tolerance = 1e-6)
    if a == b
        s = 0
    elseif a > b
        s = -integral(f, b, a, tolerance)
    elseif isinf(a) && isinf(b)
        s = _adaptive(t -> f(t ./ (1 - t.^2)) .* (1 + t.^2) ./ (1 - t.^2).^2, -1, 1, tolerance)
    elseif isinf(b)
        s = _adaptive(t -> f(a + t ./ (1 - t)) ./ (1 - t).^2, 0, 1, tolerance)
    elseif isinf(a)
        s = _adaptive(t -> f(b - t ./ (1 - t)) ./ (1 - t).^2, 0, 1, tolerance)
    else
        s = _adaptive(f, a, b, tolerance)
    endif
end

% the same as integral
% > print quad(x -> sin(x), 0, pi)
function s = quad(f, a, b, tolerance = 1e-6)
    s = integral(f, a, b, tolerance)
end

% intervals are halved where both rules differ
function s = _adaptive(f, a, b, tolerance)
    todo = transpose(linspace(a, b, 11))
    todo = horzcat(todo[0..9,:], todo[1..10,:])
    s = 0
    rounds = 0
    while size(todo, 0) > 0
        [low, high] = [todo[:,[0]], todo[:,[1]]]
        [fine, rough] = _kronrod(f, low, high)
        total = abs(s + sum(fine))
        allowed = max(tolerance * total, 1e-10) .* (high - low) ./ (b - a)
        good = abs(fine - rough) <= max(allowed, 8 * eps .* abs(fine))
        if rounds >= 40
            good = fine == fine
        endif
        s = s + sum(fine[good])
        left = find(!good)
        if size(left, 0) == 0
            break
        endif
        at = transpose(left[:,0])
        lows = reshape(low[at,:], [numel(at), 1])
        highs = reshape(high[at,:], [numel(at), 1])
        middles = (lows + highs) ./ 2
        todo = vertcat(horzcat(lows, middles), horzcat(middles, highs))
        if size(todo, 0) > 20000
            error "integral: the function varies too much"
        endif
        rounds += 1
    end
end

% the integrals of f over intervals by 15 places, and by 7 of them
function [fine, rough] = _kronrod(f, low, high)
    half = [0.991455371120813, 0.949107912342759, 0.864864423359769, 0.741531185599394, 0.586087235467691, 0.405845151377397, 0.207784955007898]
    weights = [0.022935322010529, 0.063092092629979, 0.104790010322250, 0.140653259715525, 0.169004726639267, 0.190350578064785, 0.204432940075298]
    gauss = [0.0, 0.129484966168870, 0.0, 0.279705391489277, 0.0, 0.381830050505119, 0.0]
    places = horzcat(-half, horzcat([0], fliplr(half)))
    fine_weights = horzcat(weights, horzcat([0.209482141084728], fliplr(weights)))
    rough_weights = horzcat(gauss, horzcat([0.417959183673469], fliplr(gauss)))
    h = (high - low) ./ 2
    x = (high + low) ./ 2 + h .* places
    y = reshape(f(reshape(x, [1, numel(x)])), size(x))
    fine = sum(y .* fine_weights, 1) .* h
    rough = sum(y .* rough_weights, 1) .* h
end

% solution of y' = f(t,y) from y0 at the first of the times to the last; [t,y]: a row of y per time (Dormand and Prince)
% > print round(100*ode45((t,y) -> -y, [0,1], [1]))
function [t, y] = ode45(f, times, y0, rtol = 1e-3, atol = 1e-6)
    n = numel(y0)
    at = times[0]
    last = times[numel(times)-1]
    v = reshape(y0, [1, n])
    k = _row_of_slopes(f, at, v, n)
    direction = last >= at ? 1 : -1
    h = 0.01 * max(abs(v)) / max(max(abs(k)), 1e-10)
    h = direction * min(max(h, abs(last - at) * 1e-4), abs(last - at) / 10)
    t = [at]
    y = v
    next = 1
    steps = 0
    while direction * (last - at) > 0
        if direction * (at + h - last) > -1e-9 * abs(last)
            h = last - at
        endif
        [new, slope, err] = _step(f, at, v, k, h, n)
        ratio = max(abs(err) ./ (atol + rtol .* max(abs(v), abs(new))))
        if ratio <= 1
            if numel(times) == 2
                t = horzcat(t, [at + h])
                y = vertcat(y, new)
            else
                % Times that are asked for lie on the cubic between both ends of the step.
                while next < numel(times) && direction * (times[next] - at - h) <= 1e-6 * abs(h)
                    u = (times[next] - at) / h
                    [p, q] = [h .* k, h .* slope]
                    rise = new - v
                    t = horzcat(t, [times[next]])
                    y = vertcat(y, v + u .* (p + u .* (3 .* rise - 2 .* p - q + u .* (p + q - 2 .* rise))))
                    next += 1
                end
            endif
            at = h == last - at ? last : at + h
            v = new
            k = slope
        elseif abs(h) < 1e-7 * max(abs(at), 1e-3)
            error "ode45: the step became too small at t = ", at
        endif
        h = h * min(5, max(0.2, 0.9 * max(ratio, 1e-10) ^ -0.2))
        steps += 1
        if steps > 100000
            error "ode45: too many steps"
        endif
    end
end

% the slope as a vector
function k = _row_of_slopes(f, t, y, n)
    k = reshape(f(t, y), [1, n])
end

% one step: the new values, their slope, and the difference to the method of order 4
function [new, k7, err] = _step(f, t, y, k1, h, n)
    k2 = _row_of_slopes(f, t + h / 5, y + h .* k1 ./ 5, n)
    k3 = _row_of_slopes(f, t + 3 * h / 10, y + h .* (3/40 .* k1 + 9/40 .* k2), n)
    k4 = _row_of_slopes(f, t + 4 * h / 5, y + h .* (44/45 .* k1 - 56/15 .* k2 + 32/9 .* k3), n)
    k5 = _row_of_slopes(f, t + 8 * h / 9, y + h .* (19372/6561 .* k1 - 25360/2187 .* k2 + 64448/6561 .* k3 - 212/729 .* k4), n)
    k6 = _row_of_slopes(f, t + h, y + h .* (9017/3168 .* k1 - 355/33 .* k2 + 46732/5247 .* k3 + 49/176 .* k4 - 5103/18656 .* k5), n)
    new = y + h .* (35/384 .* k1 + 500/1113 .* k3 + 125/192 .* k4 - 2187/6784 .* k5 + 11/84 .* k6)
    k7 = _row_of_slopes(f, t + h, new, n)
    err = h .* (71/57600 .* k1 - 71/16695 .* k3 + 71/1920 .* k4 - 17253/339200 .* k5 + 22/525 .* k6 - 1/40 .* k7)
end

% x with A*x = b for a symmetric positive definite matrix, or a function that multiplies by it; also the steps taken (conjugate gradients)
% > print pcg([[4,1],[1,3]], [1,2])
function [x, steps] = pcg(A, b, tolerance = 1e-6, most = 0)
    product = _product(A)
    limit = most > 0 ? most : 10 * numel(b)
    x = 0 .* b
    r = copy(b)
    p = copy(b)
    [square, goal] = [sum(r .^ 2), tolerance ^ 2 * sum(b .^ 2)]
    steps = 0
    while square > goal && steps < limit
        q = product(p)
        scale = square / sum(p .* q)
        x = x + scale .* p
        r = r - scale .* q
        before = square
        square = sum(r .^ 2)
        p = r + (square / before) .* p
        steps += 1
    end
end

% multiplication by a matrix as a function that gives vectors for vectors
function f = _product(A)
    if type(A, "mat") || type(A, "vec")
        f = x -> reshape(A * reshape(x, [numel(x), 1]), size(x))
    else
        f = A
    endif
end

% x without negative elements for which A*x is closest to b (Lawson and Hanson)
% > print lsqnonneg([[1,0],[0,1]], [1,-1])
function x = lsqnonneg(A, b)
    n = size(A, 1)
    rhs = reshape(b, [numel(b), 1])
    x = zeros(n)
    free = zeros(n)
    small = 10 * eps * max(abs(A)) * max(max(abs(b)), eps) * max(size(A))
    rounds = 0
    repeat
        w = reshape(transpose(A) * (rhs - A * reshape(x, [n, 1])), [1, n]) .* (1 - free) - 1e30 .* free
        [most, k] = max(w)
        if most > small
            free[k] = 1
            z = _of_free(A, rhs, free)
            while min(z + 1e30 .* (1 - free)) <= 0 && sum(free) > 0
                bad = (free > 0) .* (z <= 0)
                share = min(bad .* (x ./ max(x - z, 1e-30)) + 1e30 .* (1 - bad))
                x = x + share .* (z - x)
                free = free .* (x > small)
                x = x .* free
                z = _of_free(A, rhs, free)
            end
            x = z
        endif
        rounds += 1
    until most <= small || rounds > 10 * n
end

% the solution with the elements that are not free at 0
function z = _of_free(A, rhs, free)
    n = numel(free)
    z = zeros(n)
    k = find(free)
    if size(k, 0) > 0
        at = transpose(k[:,1])
        part = reshape(A[:,at], [size(A,0), numel(at)])
        z[at] = reshape(pinv(part) * rhs, [1, numel(at)])
    endif
end

% a solution of the equations f(x) = 0 near a vector, and what f gives there
% > print round(fsolve(x -> [x[0]^2 + x[1]^2 - 2, x[0] - x[1]], [2,0.5])*1000)
function [x, value] = fsolve(f, start)
    x = lsqnonlin(f, start)
    value = f(x)
end

% the vector near a start with the least sum of squares of what f gives, that sum, and what f gives (Levenberg and Marquardt)
% > print round(lsqnonlin(x -> x - [1,2], [0,0])*1000)
function [x, least, r] = lsqnonlin(f, start, most = 200)
    x = _list(start)
    r = _list(f(_like(x, start)))
    least = sum(r.^2)
    damping = 1e-3
    small = sqrt(eps)
    for round_ = 1..most
        J = _jacobian(f, start, x, r)
        A = transpose(J)*J
        g = transpose(J)*transpose(r)
        better = 0
        for attempt = 1..12
            step = solve(A + damping*diag(diag(A) + small), g)
            next = x - transpose(step)
            r1 = _list(f(_like(next, start)))
            sum1 = sum(r1.^2)
            if sum1 < least
                better = 1
                break
            endif
            damping = damping*4
        end
        if !better
            break
        endif
        moved = norm(next - x)
        [x, r, least] = [next, r1, sum1]
        damping = max(damping/8, 1e-12)
        if moved <= small*(small + norm(x)) || least <= eps^2
            break
        endif
    end
    x = _like(x, start)
end

% the parameters p with which f(p, x) comes nearest to y by the sum of squares, that sum, and the differences
% > print round(lsqcurvefit((p,x) -> p[0]*x + p[1], [0,0], [0,1,2], [1,3,5])*1000)
function [p, least, r] = lsqcurvefit(f, start, x, y)
    [p, least, r] = lsqnonlin(p -> _list(f(p, x)) - _list(y), start)
end

function v = _list(x)
    v = reshape(float(x), [1, numel(x)])
end

function x = _like(list, shape)
    x = numel(shape) == 1 ? list[0] : reshape(list, size(shape))
end

% how much each of the values r of f at x changes with each element of x
function J = _jacobian(f, start, x, r)
    J = zeros(numel(r), numel(x))
    {!serial for}
    for k = 0..numel(x)-1
        h = sqrt(eps)*max(abs(x[k]), 1)
        moved = copy(x)
        moved[k] += h
        J[:,k] = transpose((_list(f(_like(moved, start))) - r)./(moved[k] - x[k]))
    end
end

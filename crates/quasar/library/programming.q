% Linear and quadratic programs, by an interior-point method.

% the x with the least f*x where A*x <= b, Aeq*x = beq and low <= x <= high; what is left out or [] bounds nothing. The least value, and 1, or -2 if the method found none
% > print round(linprog([-1,-2], [[1,1]], [4], [], [], [0,0], [3,3]) .* 100)
function [x, least, found] = linprog(f, A = [], b = [], Aeq = [], beq = [], low = [], high = [])
    n = numel(f)
    [x, least, found] = _least(zeros(n, n), f, A, b, Aeq, beq, low, high)
end

% the x with the least x'*H*x/2 + f*x under the conditions of linprog; H symmetric with no negative eigenvalue
% > print round(quadprog([[2,0],[0,2]], [-2,-5], [[1,1]], [2]) .* 100)
function [x, least, found] = quadprog(H, f, A = [], b = [], Aeq = [], beq = [], low = [], high = [])
    [x, least, found] = _least(reshape(H, [numel(f), numel(f)]), f, A, b, Aeq, beq, low, high)
end

function c = _column(x)
    c = reshape(x .* 1.0, [numel(x), 1])
end

% rows G and right sides h of all conditions G*x <= h
function [G, h] = _conditions(n, A, b, low, high)
    [G, h] = {zeros(0, n), zeros(0, 1)}
    if !isempty(A)
        [G, h] = {reshape(A, [numel(b), n]) .* 1.0, _column(b)}
    endif
    {!serial for}
    for k = 0..1
        bounds = k == 0 ? low : high
        if !isempty(bounds)
            sign = k == 0 ? -1.0 : 1.0
            list = numel(bounds) == 1 ? bounds .* ones(1, n) : reshape(bounds, [1, n])
            at = find(!isinf(list))
            rows = zeros(size(at, 0), n)
            right = zeros(size(at, 0), 1)
            for m = 0..size(at, 0) - 1
                rows[m, int(at[m, 1])] = sign
                right[m, 0] = sign * list[int(at[m, 1])]
            end
            if size(at, 0) > 0
                [G, h] = size(G, 0) > 0 ? {vertcat(G, rows), vertcat(h, right)} : {rows, right}
            endif
        endif
    end
end

% the longest step, at most 1, that leaves v + step*d positive
function step = _room(v, d)
    worst = min(d ./ v)
    step = worst < -1 ? -1 / worst : 1.0
end

% Mehrotra's steps: s is what is left of the conditions, z their multipliers, y those of the equations
function [x, least, found] = _least(H, f, A, b, Aeq, beq, low, high)
    n = numel(f)
    c = _column(f)
    [G, h] = _conditions(n, A, b, low, high)
    [m, k] = [size(G, 0), numel(beq)]
    E = k > 0 ? reshape(Aeq, [k, n]) .* 1.0 : zeros(0, n)
    e = _column(beq)
    x = zeros(n, 1)
    y = zeros(k, 1)
    [s, z] = {ones(m, 1), ones(m, 1)}
    if m > 0
        s = max(h - G * x, 1.0)
    endif
    scale = 1 + max(horzcat(0.0, transpose(abs(c)))) + (m > 0 ? max(abs(h)) : 0)
    found = -2
    {!serial for}
    for step = 0..99
        rd = H * x + c
        if m > 0
            rd = rd + transpose(G) * z
        endif
        if k > 0
            rd = rd + transpose(E) * y
        endif
        rp = m > 0 ? G * x + s - h : zeros(0, 1)
        re = k > 0 ? E * x - e : zeros(0, 1)
        mu = m > 0 ? sum(s .* z) / m : 0.0
        worst = max(abs(rd))
        worst = m > 0 ? max(worst, max(abs(rp))) : worst
        worst = k > 0 ? max(worst, max(abs(re))) : worst
        if max(worst, mu) <= 0.05 * sqrt(eps) * scale
            found = 1
            break
        endif
        K = H + eps * eps .* eye(n)
        if m > 0
            K = K + transpose(G) * (reshape(z ./ s, [m, 1]) .* G)
        endif
        if k > 0
            K = vertcat(horzcat(K, transpose(E)), horzcat(E, -eps * eps .* eye(k)))
        endif
        [dx, dy, ds, dz] = _direction(K, G, rd, rp, re, s, z, s .* z)
        if m > 0
            a = min(_room(s, ds), _room(z, dz))
            ahead = sum((s + a .* ds) .* (z + a .* dz)) / m
            centre = (ahead / mu)^3 * mu
            [dx, dy, ds, dz] = _direction(K, G, rd, rp, re, s, z, s .* z + ds .* dz - centre)
            a = min(0.995 * min(_room(s, ds), _room(z, dz)), 1.0)
            s = s + a .* ds
            z = z + a .* dz
        else
            a = 1.0
        endif
        if any(isnan(dx))
            break
        endif
        x = x + a .* dx
        y = y + a .* dy
    end
    least = sum(transpose(x) * H * x) / 2 + sum(c .* x)
    x = reshape(x, [1, n])
end

function [dx, dy, ds, dz] = _direction(K, G, rd, rp, re, s, z, rc)
    [n, m, k] = [numel(rd), numel(s), numel(re)]
    right = -rd
    if m > 0
        right = right - transpose(G) * ((z .* rp - rc) ./ s)
    endif
    if k > 0
        right = vertcat(right, -re)
    endif
    d = reshape(K \ right, [n + k, 1])
    dx = d[0..n-1, 0]
    dy = k > 0 ? d[n..n+k-1, 0] : zeros(0, 1)
    [ds, dz] = {zeros(0, 1), zeros(0, 1)}
    if m > 0
        ds = -rp - G * dx
        dz = -(rc + z .* ds) ./ s
    endif
end

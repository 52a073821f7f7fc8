% Factors of square matrices that show their eigenvalues, and the logarithm of a matrix.

% a matrix H with nothing below its first subdiagonal, and a unitary P with x = P*H*P'
% > [P, H] = hess([[4,1,2],[1,3,0],[2,0,1]]); print max(max(abs(P*H*transpose(P) - [[4,1,2],[1,3,0],[2,0,1]]))) < 1e-5
function [P, H] = hess(x)
    n = _square("hess", x)
    H = x + 0.0
    P = iscomplex(H) ? complex(eye(n)) : eye(n)
    {!serial for}
    for k = 0..n - 3
        v = copy(H[k+1..n-1, k])
        size_ = sqrt(sum(abs(v) .^ 2))
        if sum(abs(v[1..numel(v)-1])) > 0
            first = v[0]
            turn = abs(first) > 0 ? first / abs(first) : 1.0
            v[0] = first + turn * size_
            v = reshape(v, [n - k - 1, 1]) ./ sqrt(sum(abs(v) .^ 2))
            w = ctranspose(v)
            H[k+1..n-1, :] = H[k+1..n-1, :] - 2.0 .* (v * (w * H[k+1..n-1, :]))
            H[:, k+1..n-1] = H[:, k+1..n-1] - 2.0 .* ((H[:, k+1..n-1] * v) * w)
            P[:, k+1..n-1] = P[:, k+1..n-1] - 2.0 .* ((P[:, k+1..n-1] * v) * w)
            H[k+2..n-1, k] = 0
        endif
    end
    if nargout < 2
        P = H
    endif
end

% how many rows a square matrix has; NaN and infinity end nowhere
function n = _square(name, x)
    n = size(x, 0)
    assert(ndims(x) <= 2 && n == size(x, 1), name + ": the matrix is not square")
    assert(n == 0 || sum(sum(x - x == 0)) == numel(x), name + ": the matrix has elements that are no finite numbers")
end

% an upper triangular matrix T and a unitary U with x = U*T*U': the eigenvalues stand on the diagonal of T. Of a real matrix both are real and each pair of complex eigenvalues is a block of 2x2, unless "complex" asks for the triangle
% > [U, T] = schur([[0,1],[-2,-3]]); print round(10*T)/10
function [U, T] = schur(x, kind = "real")
    n = _square("schur", x)
    assert(kind == "real" || kind == "complex", "schur: real or complex, as text")
    if iscomplex(x) || kind == "complex"
        [U, T] = _complex_schur(complex(x), n)
    else
        [U, T] = _real_schur(x + 0.0, n)
    endif
    if nargout < 2
        U = T
    endif
end

% by steps with the eigenvalue of the last two rows and columns that is closer to the last element
function [U, T] = _complex_schur(x, n)
    [U, T] = hess(x)
    last = n - 1
    steps = 0
    {!serial for}
    while last > 0
        below = abs(T[last, last-1])
        if below <= eps * (abs(T[last, last]) + abs(T[last-1, last-1]))
            T[last, last-1] = 0
            last -= 1
            steps = 0
            continue
        endif
        steps += 1
        assert(steps <= 300, "schur: the eigenvalues do not settle")
        first = last - 1
        while first > 0 && abs(T[first, first-1]) > eps * (abs(T[first, first]) + abs(T[first-1, first-1]))
            first -= 1
        end
        shift = mod(steps, 11) == 10 ? complex(below + abs(T[last, last]), 0.0) : _near_eigenvalue(T, last)
        [U, T] = _turned(U, T, first, last, shift, n)
    end
end

% the eigenvalue of the last two rows and columns up to k that is closer to the last element
function s = _near_eigenvalue(T, k)
    [a, b, c, d] = [T[k-1, k-1], T[k-1, k], T[k, k-1], T[k, k]]
    middle = 0.5 * (a + d)
    root = sqrt(complex(0.25 * (a - d) * (a - d) + b * c))
    [s, t] = [middle + root, middle - root]
    s = abs(s - d) <= abs(t - d) ? s : t
end

% one step of rotations through rows and columns first to last
function [U, T] = _turned(U, T, first, last, shift, n)
    {!serial for}
    for k = first..last - 1
        [p, q] = k == first ? {T[k, k] - shift, T[k+1, k]} : {T[k, k-1], T[k+1, k-1]}
        size_ = sqrt(abs(p) * abs(p) + abs(q) * abs(q))
        if size_ > 0
            [c, s] = [p / size_, q / size_]
            G = [[conj(c), conj(s)], [-s, c]]
            from = max(k - 1, 0)
            T[k..k+1, from..n-1] = G * T[k..k+1, from..n-1]
            to = min(k + 2, last)
            T[0..to, k..k+1] = T[0..to, k..k+1] * ctranspose(G)
            U[:, k..k+1] = U[:, k..k+1] * ctranspose(G)
        endif
        if k > first
            T[k+1, k-1] = 0
        endif
    end
end

% real: the complex triangle says which eigenvalues are pairs; planes that belong to them are split off one after the other
function [U, T] = _real_schur(x, n)
    [U, T] = hess(x)
    last = n - 1
    steps = 0
    while last > 0
        if abs(T[last, last-1]) <= eps * (abs(T[last, last]) + abs(T[last-1, last-1]))
            T[last, last-1] = 0
            last -= 1
            steps = 0
        elseif last == 1 || abs(T[last-1, last-2]) <= eps * (abs(T[last-1, last-1]) + abs(T[last-2, last-2]))
            if last > 1
                T[last-1, last-2] = 0
            endif
            [U, T] = _split_pair(U, T, last, n)
            last -= 2
            steps = 0
        else
            steps += 1
            assert(steps <= 300, "schur: the eigenvalues do not settle")
            first = last - 2
            while first > 0 && abs(T[first, first-1]) > eps * (abs(T[first, first]) + abs(T[first-1, first-1]))
                first -= 1
            end
            [U, T] = _double_step(U, T, first, last, n, steps)
        endif
    end
end

% a step with both eigenvalues of the last two rows and columns (Francis), which keeps all real
function [U, T] = _double_step(U, T, first, last, n, steps)
    [a, b, c, d] = [T[last-1, last-1], T[last-1, last], T[last, last-1], T[last, last]]
    [trace_, det_] = [a + d, a * d - b * c]
    if mod(steps, 11) == 10
        far = abs(c) + abs(T[last-1, last-2])
        [trace_, det_] = [1.5 * far, far * far]
    endif
    k = first
    v = [T[k, k] * T[k, k] + T[k, k+1] * T[k+1, k] - trace_ * T[k, k] + det_, T[k+1, k] * (T[k, k] + T[k+1, k+1] - trace_), T[k+1, k] * T[k+2, k+1]]
    {!serial for}
    for k = first..last - 1
        count = min(3, last - k + 1)
        if k > first
            v = transpose(T[k..k+count-1, k-1])
        endif
        v = copy(v[0..count-1])
        size_ = sqrt(sum(v .^ 2))
        if size_ > 0
            v[0] += v[0] < 0 ? -size_ : size_
            w = v ./ sqrt(sum(v .^ 2))
            up = transpose(w)
            rows = k..k+count-1
            T[rows, :] = T[rows, :] - 2.0 .* (up * (w * T[rows, :]))
            T[:, rows] = T[:, rows] - 2.0 .* ((T[:, rows] * up) * w)
            U[:, rows] = U[:, rows] - 2.0 .* ((U[:, rows] * up) * w)
        endif
        if k > first
            T[k+1..k+count-1, k-1] = 0
        endif
    end
end

% two eigenvalues that stand together: real ones are turned to the diagonal, complex ones to equal diagonal elements
function [U, T] = _split_pair(U, T, k, n)
    [a, b, c, d] = [T[k-1, k-1], T[k-1, k], T[k, k-1], T[k, k]]
    half = 0.5 * (a - d)
    inside = half * half + b * c
    if inside >= 0
        root = sqrt(inside)
        shift = half + (half < 0 ? -root : root)
        % An eigenvector of the pair.
        [p, q] = [shift, c]
    else
        angle_ = 0.5 * atan2(d - a, b + c)
        [p, q] = [cos(angle_), sin(angle_)]
    endif
    size_ = sqrt(p * p + q * q)
    if size_ > 0
        [p, q] = [p / size_, q / size_]
        G = [[p, q], [-q, p]]
        T[k-1..k, :] = G * T[k-1..k, :]
        T[:, k-1..k] = T[:, k-1..k] * transpose(G)
        U[:, k-1..k] = U[:, k-1..k] * transpose(G)
    endif
    if inside >= 0
        T[k, k-1] = 0
    endif
end

% the logarithm y of a square matrix: expm(y) = x; complex if eigenvalues are negative or complex
% > print round(100*logm([[1,1],[0,1]]))/100
function y = logm(x)
    n = _square("logm", x)
    [U, T] = schur(x, "complex")
    if n > 0
        assert(min(abs(diag(T))) > 0, "logm: the matrix is singular")
    endif
    % Roots until it is close to 1, where the integral of 1/(1+t*(x-1)) over t from 0 to 1 needs eight places.
    halvings = 0
    unit = complex(eye(n))
    while n > 0 && max(max(abs(T - unit))) > 0.25 && halvings < 60
        T = _triangle_root(T, n)
        halvings += 1
    end
    node = [0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363]
    weight = [0.362683783378362, 0.3137066458778873, 0.22238103445337448, 0.10122853629037626]
    rest = T - unit
    y = complex(zeros(n, n))
    {!serial for}
    for k = 0..7
        t = 0.5 + (k < 4 ? -0.5 : 0.5) * node[mod(k, 4)]
        y += 0.5 * weight[mod(k, 4)] .* mldivide(unit + t .* rest, rest)
    end
    y = U * (y .* pow(2.0, halvings)) * ctranspose(U)
    if n > 0
        y = !iscomplex(x) && max(max(abs(imag(y)))) <= 1e3 * eps * max(max(max(abs(y))), 1.0) ? real(y) : y
    endif
end

% the root of an upper triangle
function R = _triangle_root(T, n)
    R = complex(zeros(n, n))
    {!serial for}
    for j = 0..n - 1
        R[j, j] = sqrt(T[j, j])
        {!serial for}
        for i = j - 1..-1..0
            s = T[i, j]
            {!serial for}
            for k = i + 1..j - 1
                s = s - R[i, k] * R[k, j]
            end
            below = R[i, i] + R[j, j]
            R[i, j] = abs(below) > 0 ? s / below : 0.0 * s
        end
    end
end

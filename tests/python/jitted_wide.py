"""More functions in Numba's style, for `test_jit.py`: loops over pairs, tuples and indices, axes, matrices, NumPy's other functions."""

import math

import numpy as np

RANDOM = np.random.default_rng(11)


def numbered(a, first):
    out = np.zeros_like(a)
    for i, v in enumerate(a):
        out[i] = v*i
    for k, v in enumerate(a[2:], first):
        out[k - first] += k
    return out


def rows(a):
    s = 0.0
    i = -1
    for i, row in enumerate(a):
        s += i*row[0] + row[-1]
    return s, i


def paired(a, b):
    s = 0.0
    n = 0
    x = 0.0
    for x, y in zip(a, b):
        if x > y:
            continue
        if n == 5:
            break
        s += x*y
        n += 1
    return s, n, x


def neighbours(board):
    height, width = board.shape
    out = np.zeros((height, width), np.uint8)
    for y, x in np.ndindex(board.shape):
        n = 0
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy == 0 and dx == 0:
                    continue
                n += board[(y + dy) % height, (x + dx) % width]
        out[y, x] = 1 if n == 3 or board[y, x] and n == 2 else 0
    return out


def tuples(a, b):
    s = 0.0
    for w, i in ((0.25, 0), (0.5, 1), (b, 2)):
        s += w*a[i]
    for f in (b, 2.0*b, 1.5):
        b = 0.0
        s = s*f + b
    return s


def searched(a, x):
    found = 0
    for i in range(len(a)):
        if a[i] > x:
            found = i
            break
    else:
        found = -1
    k = 0
    while k < 10:
        if a[k] > x:
            break
        k += 1
    else:
        k = 100
    return found, k


def nested_else(n):
    count = 0
    for i in range(2, n):
        for d in range(2, i):
            if i % d == 0:
                break
        else:
            count += 1
    return count


def along(a):
    return a.sum(axis=0), np.mean(a, axis=1), a.min(axis=-1), np.argmax(a, 0), a.std(), np.var(a, axis=0), np.argmin(a)


def along_three(a):
    return a.sum(axis=1), np.max(a, axis=2), np.any(a > 2, axis=0), a.prod(axis=-1)


def counted(m, x):
    return np.count_nonzero(m), np.count_nonzero(x > 0), np.all(m), any(m), all(m), sum(x)


def products(a, b, v):
    return a @ b, np.dot(a, v), v @ b, v @ v, np.matmul(b, a).dot(v)


def least_squares(x, y):
    # The normal equations of a line, by the determinant.
    a = np.array([[x @ x, x.sum()], [x.sum(), float(len(x))]])
    b = np.array([x @ y, y.sum()])
    d = a[0, 0]*a[1, 1] - a[0, 1]*a[1, 0]
    return np.array([(b[0]*a[1, 1] - b[1]*a[0, 1])/d, (a[0, 0]*b[1] - a[1, 0]*b[0])/d])


def listed(n):
    kernel = np.array([1, 2, 1])
    weights = np.array([[0.5, 1], [n, 2.5]])
    small = np.array([1, 0, 3], dtype=np.float32)
    flags = np.array([True, n > 2, False])
    return kernel, weights, small, flags, np.array(kernel, np.float64)


def spaced(n):
    return np.linspace(0.0, 1.0, n), np.linspace(-1, n, 7), np.arange(2, 20, 3), np.arange(9, 0, -2), np.linspace(3, 4, 1)


def black_scholes(s, k, t, r, v):
    price = np.empty_like(s)
    for i in range(len(s)):
        d1 = (math.log(s[i]/k) + (r + 0.5*v*v)*t)/(v*math.sqrt(t))
        d2 = d1 - v*math.sqrt(t)
        price[i] = s[i]*0.5*math.erfc(-d1/math.sqrt(2.0)) - k*math.exp(-r*t)*0.5*(1.0 + math.erf(d2/math.sqrt(2.0)))
    return price


def specials(x):
    out = np.zeros((11, len(x)))
    for i, v in enumerate(x):
        out[0, i] = math.erf(v)
        out[1, i] = math.erfc(v)
        out[2, i] = math.expm1(v)
        out[3, i] = math.log1p(abs(v))
        out[4, i] = math.asinh(v)
        out[5, i] = math.acosh(1.0 + abs(v))
        out[6, i] = math.atanh(v/30.0)
        out[7, i] = math.copysign(2.0, v)
        out[8, i] = math.fmod(v, 0.7)
        out[9, i] = math.log(1.0 + abs(v), 2.0)
        out[10, i] = math.isfinite(v)
    return out


def remainders(a, b):
    return a % b, a // b, np.fmod(a, b), np.floor_divide(a, b), a[0]//b[0], divmod(a[0], b[0])[1]


def plain_remainders(a, b):
    s = 0.0
    q = 0.0
    for i in range(len(a)):
        s += float(a[i]) % float(b[i])
        q += float(a[i]) // float(b[i])
    return s, q


def whole_powers(a, n):
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        out[i] = a[i]**n[i] + (a[i] << n[i]) - (a[i] >> n[i])
    return out


def operators(a, b):
    return (
        np.greater(a, b), np.less_equal(a, b), np.not_equal(a, b), np.logical_and(a > 0, b > 0), np.logical_or(a, b), np.logical_xor(a, b),
        np.logical_not(a), np.bitwise_and(a, b), np.bitwise_or(a, b), np.bitwise_xor(a, b), np.invert(a), np.negative(a), np.gcd(a, b), np.lcm(a, b),
    )


def extremes(a, b):
    return np.fmax(a, b), np.fmin(a, b), np.clip(a, -0.5, 0.5), a.clip(0.0, 1.0), np.rint(4*a), np.round(a), np.signbit(a), np.isfinite(b), np.copysign(a, b)


def rounded(x):
    s = 0
    for v in x:
        s = s*3 + round(v)
    return s


def single(x):
    return np.log1p(x), np.expm1(x), np.cbrt(x), np.exp2(x), np.arcsinh(x), np.arctanh(x), np.logaddexp(x, x), np.heaviside(x, x), x % np.float32(0.3), np.arccosh(x + np.float32(1))


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 1e-300, 1e300, -1e300, np.inf, -np.inf, np.nan, 3.0, 1e-8, -1e-8, 700.0])
OTHER = np.array([1.0, -2.0, -0.0, 0.3, -0.7, 0.5, 2.0, 1e-300, 3.0, 7.0, 2.0, np.inf, 1.0, np.nan, -np.inf, 1e8, 0.0])


def edges(a, b):
    return np.log1p(a), np.expm1(a), np.cbrt(a), np.exp2(a), np.arcsinh(a), np.arccosh(a), np.arctanh(a), np.logaddexp(a, b), np.logaddexp2(a, b), np.heaviside(a, b), np.copysign(a, b), np.rint(a)


def signs(a, b):
    # Zeros tell their sign, what is no number none.
    m = a % b
    f = np.fmod(a, b)
    return np.signbit(np.where(m == 0.0, m, 1.0)), np.signbit(np.where(f == 0.0, f, 1.0)), np.signbit(np.rint(a[:12])), np.signbit(np.cbrt(a[:12])), np.signbit(np.arcsinh(a[:12])), np.signbit(np.copysign(a[:12], b[:12])), np.fmax(a, b), np.fmin(a, b), a % b, a // b, np.fmod(a, b)


def shapes(n, m, k):
    a = np.ones((n, m))
    b = np.zeros((n, m, k))
    for i in range(n):
        a[i, 0] = i
    return a, b, a*2, b + 1, a.sum(axis=0)


def distance(a, b):
    s = 0.0
    for i in range(len(a)):
        s += (a[i] - b[i])**2
    return math.sqrt(s)


def broadcast(x, v):
    x[x < 0.2] *= 3.0
    x[:] = x + v
    x[1:] += v
    big = x > 0.9
    x[big] = -1.0
    far = np.sqrt(((x[:, None, :] - x[None, :, :])**2).sum(axis=-1))
    return x - x.mean(axis=0), v[:, np.newaxis]*x, far, x[:, 1][None], np.zeros(shape=(2, 3))


def masked(x, n):
    x[x > 0.5] = np.nan
    x[np.isnan(x)] = 7.0
    x[~(x < n)] -= n
    return x.sum()


def named_tuples(x, v):
    size = x.shape
    pair = (v[0], 2)
    s = 0.0
    for i in range(size[0]):
        for j in range(size[1]):
            s += x[i, j]*pair[0]
        pair = (s, 3)
    a, b = pair
    return s, a, b, len(size), np.ones(size)


def scans(a, k):
    return np.cumsum(a), np.cumprod(a), np.diff(a), np.outer(a, a), np.sort(a), np.argsort(a), np.cumsum(k), np.sort(k), np.median(a), np.diff(k)


def tables(x, y):
    places = np.cumsum(np.abs(x) + 0.1)
    return np.interp(1.5, places, y), np.interp(y, places, x), np.searchsorted(places, 0.7), np.trapezoid(y, places), np.interp(places[2], places, y)


def turned(a, b):
    s = 0.0
    for v in a.ravel():
        s = 0.5*s + v
    t = a.T @ b
    c = a.T.copy()
    c[0, 0] = 7.0
    n, m = a.shape
    return s, t, c, a.reshape(m, n), a.flatten()[3], np.concatenate((a, b, a[:1])), np.concatenate((a[0], b[1])), a.reshape(-1), np.reshape(a, (-1, 1)), np.transpose(a)


def comprehended(a, n):
    i = 5
    squares = np.array([i*i for i in range(n)])
    largest = np.array([np.max(a[k]) for k in range(a.shape[0])])
    halves = np.array([v/2 for v in a[0]], np.float32)
    down = np.array([3*k - 1.5 for k in range(n, -n, -2)])
    first = sum(a[k, 0] for k in range(len(a)))
    return squares, largest, halves, down, i, first, any(v > 1.0 for v in a[1]), max(v for v in a[1])


def flags(x):
    rising = True
    for i in range(1, len(x)):
        if not rising:
            break
        rising = x[i] > x[i - 1] - 2.0
    return int(rising)


def selected(x, k, m):
    chosen = x[x > 0.0]
    flat = m[m < 0.5]
    return chosen, chosen.sum(), x[k], k[k >= 0] + 1, flat, x[np.argsort(x)][:3], len(x[x > 1e9]), x[x > 1e9]


def rescaled(m, f):
    e = np.exp(m - np.max(m, axis=1, keepdims=True))
    means = m.mean(axis=0, keepdims=True)
    return e/np.sum(e, axis=-1, keepdims=True), m - means, f/np.linalg.norm(f), np.linalg.norm(m), np.linalg.norm(np.arange(4)), f.max(axis=0, keepdims=True)


def channels(image, p):
    out = np.zeros(image.shape[:2])
    assert image.shape == out.shape + (3,) and out.shape != (0, 0) and image.shape[1:] != out.shape
    assert np.zeros(image.shape[:-1] + p.shape).shape == (len(image), image.shape[1], 2)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            r, g, b = image[i, j]
            out[i, j] = 0.3*r + 0.6*g + 0.1*b
    x, y = p
    x, y = y, x
    assert p[::-1].shape == out.shape[:1][:0] + p.shape
    u, v = p[::-1]
    return out, x, y, u + v


def normal(*shape):
    return RANDOM.standard_normal(shape)


CASES = [
    (numbered, (normal(9), 3)), (rows, (normal(4, 3),)), (paired, (normal(30), normal(25))), (neighbours, (RANDOM.random((7, 9)) > 0.6,)),
    (neighbours, (RANDOM.random((1, 1)) > 0.1,)), (tuples, (normal(3), 0.25)), (searched, (np.arange(12)*1.0, 7.5)), (searched, (np.arange(12)*1.0, 50.0)),
    (nested_else, (60,)), (along, (normal(5, 7),)), (along, (normal(1, 3),)), (along_three, (RANDOM.integers(0, 4, (3, 4, 5)),)),
    (counted, (RANDOM.random(9) > 0.5, normal(9))), (counted, (np.ones(3, bool), normal(3))), (products, (normal(4, 6), normal(6, 4), normal(6))),
    (least_squares, (normal(20), normal(20))), (listed, (3,)), (spaced, (5,)), (spaced, (1,)), (black_scholes, (RANDOM.random(50)*100 + 20, 60.0, 0.5, 0.02, 0.3)),
    (specials, (np.linspace(-9.3, 9.1, 211),)), (specials, (np.array([0.0, 1.999999, 2.0, 26.5, -28.0, 1e-200]),)), (remainders, (normal(400)*10, normal(400))),
    (remainders, (RANDOM.integers(-9, 9, 50), RANDOM.integers(1, 5, 50))), (plain_remainders, (normal(300)*1e6, normal(300))),
    (whole_powers, (RANDOM.integers(-9, 9, 40), RANDOM.integers(0, 12, 40))), (operators, (RANDOM.integers(-9, 9, 40), RANDOM.integers(-5, 5, 40))),
    (extremes, (normal(50), normal(50))), (extremes, (SPECIAL, OTHER)), (rounded, (np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4999, 1e9]),)),
    (single, (RANDOM.random(40).astype(np.float32),)), (edges, (SPECIAL, OTHER)), (shapes, (1, 4, 2)), (shapes, (4, 1, 2)), (shapes, (1, 1, 3)), (shapes, (1, 1, 1)), (shapes, (2, 3, 1)), (shapes, (1, 3, 1)), (distance, (normal(4), normal(4))), (broadcast, (normal(3, 3), normal(3))), (masked, (normal(40), 0.25)),
    (masked, (normal(5, 6), 3)), (flags, (normal(9),)), (comprehended, (normal(4, 6), 5)), (turned, (normal(3, 5), normal(3, 5))), (turned, (normal(3, 3), normal(3, 3).astype(np.float32))),
    (named_tuples, (normal(3, 4), normal(2))),
    (scans, (normal(33), RANDOM.integers(-9, 9, 20).astype(np.int16))), (scans, (np.array([2.5]), np.arange(2))), (tables, (normal(20), normal(20))), (signs, (SPECIAL, OTHER)),
    (selected, (normal(20), RANDOM.integers(-20, 20, 9), normal(4, 5))), (selected, (normal(1), np.array([0, -1]), normal(1, 1))),
    (selected, (normal(3), np.array([1, 3]), normal(2, 2))), (rescaled, (normal(4, 5), normal(6).astype(np.float32))), (rescaled, (normal(1, 1), np.ones(1, np.float32))),
    (channels, (RANDOM.integers(0, 255, (3, 4, 3)).astype(np.uint8), normal(2))), (channels, (normal(2, 2, 3).astype(np.float32), normal(2))),
]

"""Functions in Numba's style, for `test_jit.py`: each with arguments, run by Python and compiled."""

import math

import numpy as np

RANDOM = np.random.default_rng(7)


def floats(*shape, dtype=np.float64):
    return RANDOM.standard_normal(shape).astype(dtype)


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def saxpy(a, x, y):
    for i in range(x.shape[0]):
        y[i] = a*x[i] + y[i]


def stencil(a):
    b = np.zeros_like(a)
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.25*(a[i-1, j] + a[i+1, j] + a[i, j-1] + a[i, j+1])
    return b


def mandelbrot(n, limit):
    out = np.empty((n, n), dtype=np.int32)
    for m in range(n):
        for p in range(n):
            cx = -2.0 + 3.0*p/n
            cy = -1.5 + 3.0*m/n
            x = 0.0
            y = 0.0
            k = 0
            while k < limit and x*x + y*y <= 4.0:
                x, y = x*x - y*y + cx, 2.0*x*y + cy
                k += 1
            out[m, p] = k
    return out


def histogram(v, bins):
    h = np.zeros(bins, dtype=np.int64)
    for i in range(v.size):
        h[v[i]] += 1
    return h


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def primes(n):
    sieve = np.ones(n + 1, dtype=np.bool_)
    sieve[0] = False
    sieve[1] = False
    i = 2
    while i*i <= n:
        if sieve[i]:
            for j in range(i*i, n + 1, i):
                sieve[j] = False
        i += 1
    return np.sum(sieve)


def running(x):
    y = np.empty(len(x))
    s = 0.0
    for i in range(len(x)):
        s = 0.5*s + x[i]
        y[i] = s
    return y


def distances(p):
    n = p.shape[0]
    d = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(p.shape[1]):
                t = p[i, k] - p[j, k]
                s += t*t
            d[i, j] = np.sqrt(s)
    return d


def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k]*b[k, j]
    return c


def extremes(x):
    least = x[0]
    most = x[0]
    for v in x:
        if v < least:
            least = v
        elif v > most:
            most = v
    return least, most


def bubble(x):
    y = x.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if y[j] > y[j+1]:
                y[j], y[j+1] = y[j+1], y[j]
    return y


def monte_carlo(x, y):
    inside = 0
    for i in range(len(x)):
        if x[i]**2 + y[i]**2 < 1.0:
            inside += 1
    return 4.0*inside/len(x)


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n//2
        else:
            n = 3*n + 1
        steps += 1
    return steps


def negatives(a, b):
    q = np.empty(len(a), dtype=np.int64)
    r = np.empty(len(a), dtype=np.int64)
    for i in range(len(a)):
        q[i] = a[i]//b[i]
        r[i] = a[i] % b[i]
    return q, r


def from_the_end(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[-1 - i] = x[i] + x[i - 1]
    return y


def downwards(x):
    y = np.zeros_like(x)
    for i in range(len(x) - 2, -1, -1):
        y[i] = y[i+1] + x[i]
    return y


def in_steps(x):
    s = 0.0
    for i in range(1, len(x), 3):
        s -= x[i]
    return s


def first_above(x, limit):
    found = -1
    for i in range(len(x)):
        if x[i] > limit:
            found = i
            break
    return found


def skipping(x):
    n = 0
    for v in x:
        if v < 0 or v > 1.5:
            continue
        n += 1
    return n


def chained(x, low, high):
    n = 0
    for i in range(len(x)):
        if low <= x[i] < high != 0:
            n += 1
    return n


def short_circuit(x, k):
    n = 0
    for i in range(len(x) + 3):
        if i < len(x) and x[i] > 0 or i == k:
            n += i
    return n


def slices(x):
    y = x[1:-1]*2.0 + x[:-2] - x[2:]
    z = np.zeros(len(x))
    z[1:-1] = y
    z[0] = y[-1]
    return z


def rows(a):
    b = np.zeros(a.shape)
    for i in range(a.shape[0]):
        b[i, :] = a[i, ::-1] + a[i].sum()
    b[:, 0] = 1.5
    return b


def ufuncs(x):
    return np.sin(x)*np.cos(x) + np.exp(-x*x) + np.where(x > 0, np.sqrt(np.abs(x)), 0.5)


def reductions(a):
    return np.sum(a), np.min(a), a.max(), np.mean(a), np.any(a > 1.0), np.all(a < 10.0), a.size


def normalised(x):
    y = x - x.mean()
    y /= np.sqrt(np.sum(y*y)/len(x))
    return y


def bytes_wrap(a, b):
    c = np.empty(len(a), dtype=np.uint8)
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


def single(x):
    y = np.empty(len(x), dtype=np.float32)
    for i in range(len(x)):
        y[i] = x[i]*0.1 + 1/3
    return y


def bits(x):
    s = 0
    for i in range(len(x)):
        s ^= (int(x[i]) & 255) << 3
        s |= i
    return s, s >> 2, ~s


def bisect(x, v):
    low = 0
    high = len(x)
    while low < high:
        middle = (low + high)//2
        if x[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low


def horner(c, x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        s = 0.0
        for k in range(len(c) - 1, -1, -1):
            s = s*x[i] + c[k]
        y[i] = s
    return y


def clamp(v, low, high):
    if v < low:
        return low
    if v > high:
        return high
    return v


def heat(u, steps):
    v = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1*(u[i-1] - 2*u[i] + u[i+1])
        u, v = v, u
    return u


def black_scholes(s, k, t):
    out = np.empty_like(s)
    for i in range(len(s)):
        d = (math.log(s[i]/k) + 0.5*t)/math.sqrt(t)
        out[i] = s[i]/(1.0 + math.exp(-1.6*d))
    return out


def conditional(x):
    return 1 if x > 0 else -1 if x < 0 else 0


CASES = [
    (total, (floats(1000),)), (total, (floats(100, dtype=np.float32),)), (total, (np.arange(9),)),
    (saxpy, (2.5, floats(50), floats(50))), (stencil, (floats(20, 31),)), (mandelbrot, (24, 60)),
    (histogram, (RANDOM.integers(0, 16, 500).astype(np.uint8), 16)), (histogram, (np.array([0, -1, 2, -1]), 4)),
    (fibonacci, (80,)), (primes, (100,)), (running, (floats(40),)), (distances, (floats(9, 3),)),
    (product, (floats(5, 7), floats(7, 4))), (extremes, (floats(30),)), (extremes, (np.array([3, 1, 2]),)), (bubble, (floats(20),)),
    (monte_carlo, (floats(200), floats(200))), (collatz, (27,)),
    (negatives, (np.array([7, -7, 7, -7, 0]), np.array([2, 2, -2, -2, 5]))), (from_the_end, (floats(6),)), (downwards, (floats(12),)),
    (in_steps, (floats(17),)), (first_above, (floats(50), 0.7)), (first_above, (floats(5), 100.0)), (skipping, (floats(60),)),
    (chained, (floats(60), -0.5, 0.75)), (short_circuit, (floats(9), 10)), (slices, (floats(11),)), (rows, (floats(4, 6),)),
    (ufuncs, (floats(33),)), (reductions, (floats(6, 5),)), (normalised, (floats(64),)),
    (bytes_wrap, (np.array([250, 3], np.uint8), np.array([10, 4], np.uint8))), (single, (floats(20, dtype=np.float32),)),
    (bits, (np.array([5, 1000, 77]),)), (bisect, (np.sort(floats(40)), 0.2)), (horner, (floats(5), floats(13))), (clamp, (3.5, 0.0, 1.0)),
    (clamp, (-2, 0, 1)), (clamp, (0.5, 0.0, 1.0)), (heat, (floats(16), 5)), (heat, (floats(16), 6)),
    (black_scholes, (np.abs(floats(20)) + 1.0, 2.0, 0.5)), (conditional, (0,)), (conditional, (-2.5,)),
]

"""Functions for `test_jit.py`: those of NumPy that rearrange arrays, and choose from them."""

import numpy as np

RANDOM = np.random.default_rng(21)


def matrices(m):
    return np.trace(m), np.diag(m), np.diagonal(m), np.flipud(m), np.fliplr(m), np.flip(m)


def made(n):
    return np.eye(n), np.identity(n)


def vectors(x, n):
    return np.diag(x), np.flip(x), np.flipud(x), np.roll(x, n), np.roll(x, -n), np.repeat(x, n), np.tile(x, n)


def places(x, m):
    found = np.nonzero(x > 0)[0]
    rows, columns = np.nonzero(m > 0)
    return found, np.flatnonzero(x), rows, columns, np.flatnonzero(x > 1e9)


def grids(x, y):
    a, b = np.meshgrid(x, y)
    return a, b, a + b


def put_together(x, y, m):
    return np.vstack((x, y)), np.stack((x, y, x)), np.hstack((x, y)), np.vstack((m, m[:1]))


def parts_of_distribution(x, q):
    return np.percentile(x, 100*q), np.quantile(x, q), np.percentile(x, 50), np.ptp(x)


def without_nan(x):
    return np.nansum(x), np.nanmean(x), np.nanmax(x), np.nanmin(x)


def rounded(x, y):
    return np.round(x, 1), np.round(x, 0), np.round(x, -1), np.around(y, 2), np.round(x[0], 3)


def dots(c):
    d = c.copy()
    d[..., 0] = 1
    d[1, ...] += 2
    return c[..., 0], c[1, ...], c[..., 1, 2], d, c[:1, ...]


def from_the_end(x, n):
    s = 0
    for i in reversed(range(n)):
        s = 3*s + i
    for i in reversed(range(1, n, 3)):
        s = s*2 - i
    for i in reversed(range(n, -4, -2)):
        s = s*2 + i
    for i in reversed(range(n, n)):
        s += 1000
    t = 0.0
    for v in reversed(x):
        t = 0.5*t + v
    return s, t


def two_largest(x):
    a = b = -1.0
    for v in x:
        if v > a:
            a, b = v, a
        elif v > b:
            b = v
    return float(a), float(b)


def normal(*shape):
    return RANDOM.standard_normal(shape)


CASES = [
    (matrices, (normal(4, 4),)), (matrices, (RANDOM.integers(0, 9, (3, 5)),)), (matrices, (normal(5, 2).astype(np.float32),)), (made, (3,)), (made, (0,)),
    (vectors, (normal(6), 2)), (vectors, (RANDOM.integers(0, 200, 5).astype(np.uint8), 0)), (vectors, (np.zeros(1, np.float32), 3)),
    (places, (RANDOM.integers(-2, 3, 12), normal(3, 4))), (places, (np.zeros(3, bool), np.zeros((2, 2)))), (grids, (np.arange(4), np.arange(3.0))),
    (put_together, (normal(3), normal(3), normal(2, 3))), (parts_of_distribution, (normal(11), 0.3)), (parts_of_distribution, (normal(1), 1.0)),
    (without_nan, (np.array([1.5, np.nan, -2.0]),)), (without_nan, (np.full(3, np.nan),)), (without_nan, (np.array([np.nan, 2.5], np.float32),)),
    (without_nan, (np.arange(5),)), (rounded, (normal(20)*30, normal(9).astype(np.float32))), (dots, (normal(2, 3, 4),)),
    (from_the_end, (normal(5), 11)), (from_the_end, (normal(1), 0)), (from_the_end, (normal(2), 1)), (two_largest, (normal(9),)),
]

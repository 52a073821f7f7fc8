"""One name for variables of several types that have nothing to do with each other."""

import numpy as np

RANDOM = np.random.default_rng(52)


def thresholds(img):
    counts = np.zeros(256)
    for v in img.ravel():
        counts[v] += 1
    best, at = 0.0, 0
    for t in range(1, 256):
        v = counts[:t].sum()*counts[t:].sum()
        if v > best:
            best, at = v, t
    return at, best


def first_and_last(x):
    t = x[0]
    s = t*2
    for k in range(len(x)):
        t = k + 1
        s += t
    if s > 3:
        t = s > 10
        s = s + t
    else:
        t = s < 10
        s = s + t
    return s


def by_branch(x, n):
    for i in range(n):
        if i % 2 == 0:
            d = x[i]
            x[i] = d + d
        else:
            d = x[i - 1]
            x[i] -= d
    d = n + 1
    while d < 2*n:
        d += 3
    return x, d


def in_pairs(m):
    total = 0.0
    for a, b in m:
        total += a*b
    a, b = m.shape
    return total/(a*b)


def turning(pts):
    pts = pts[np.argsort(pts[:, 0])]
    hull = []
    for p in pts:
        while len(hull) >= 2 and (hull[-1][0] - hull[-2][0])*(p[1] - hull[-2][1]) - (hull[-1][1] - hull[-2][1])*(p[0] - hull[-2][0]) <= 0:
            hull.pop()
        hull.append((p[0], p[1]))
    return np.array(hull)


CASES = [
    (thresholds, (RANDOM.integers(0, 256, (9, 20), np.uint8),)), (first_and_last, (RANDOM.random(4),)), (first_and_last, (-RANDOM.random(2),)),
    (by_branch, (RANDOM.random(9), 8)), (in_pairs, (RANDOM.random((5, 2)),)), (turning, (RANDOM.random((60, 2)),)), (turning, (RANDOM.random((2, 2)),)),
]

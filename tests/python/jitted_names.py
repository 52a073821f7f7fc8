"""Functions for `test_jit.py` whose arrays are made under the name that they get, or not at all, and whose loops only count."""

import numpy as np

RANDOM = np.random.default_rng(41)


def second_names(x, k):
    a = np.zeros(k)
    b = a
    b[0] = 1.0
    keep = np.zeros(len(x))
    for i in range(len(x)):
        t = np.ones(k)*x[i]
        u = t
        u[i % k] += 1.0
        if i % 7 == 3:
            a = t
        for j in range(k):
            keep[i] += t[j]*a[j]
    return a, b, keep


def made_of_itself(x):
    y = x*2.0
    y = y[::-1] + y
    for _ in range(3):
        y = y - y.mean()
    return y


def counters(a, n):
    i = j = -1
    total = 0
    for i in range(1, n):
        for j in range(i, n):
            total += a[i - 1]*j
    for i in range(n, 0, -2):
        i -= 1
        total += a[i]
    i = total
    while i > 0:
        i -= n
    return total, i, j


def places(x):
    best = np.argmax(np.abs(x[1:] - 1.5))
    return best, np.argmin(x[2:]*2), (x - 0.5).max(), np.argmax(np.exp(x)), (x[::2] < 0.5).argmax(), np.abs(x).min()


def pivots(a):
    m = a.copy()
    order = np.zeros(len(a), np.int64)
    for k in range(len(a)):
        p = k + np.argmax(np.abs(m[k:, k]))
        order[k] = p
        if p != k:
            for j in range(len(a)):
                m[k, j], m[p, j] = m[p, j], m[k, j]
        for i in range(k + 1, len(a)):
            m[i, k:] -= m[i, k]/m[k, k]*m[k, k:]
    return m, order


def outer_products(a, b):
    s = np.zeros((a.shape[1], b.shape[1]))
    for i in range(a.shape[0]):
        s += np.outer(a[i], b[i] - 0.5)
    return s, np.outer(a[0], a[1]), np.outer(a[:, 0], b[0]).sum(), np.outer(a[0]*2, b[1]).max(), np.outer(a[0] > 0.5, b[0])


def wrapped(x, k):
    h = np.zeros(8, np.int32)
    for i in range(len(x)):
        h[i % 8] = h[i % 8]*31 + x[i]*k
    return h


def spread(x):
    c = np.zeros((x.shape[1], x.shape[1]))
    last = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        v = x[i] - last/2
        c += np.outer(v, v)
        last = v
    return c, last


def far(x, k):
    return x[k*k*k]


INTS = RANDOM.integers(-2**30, 2**30, 100).astype(np.int32)
CASES = [
    (second_names, (RANDOM.random(40), 3)), (made_of_itself, (RANDOM.random(9),)), (counters, (RANDOM.integers(0, 9, 12), 12)),
    (counters, (RANDOM.integers(0, 9, 12), 1)), (places, (RANDOM.random(30),)), (places, (np.zeros(2),)),
    (pivots, (RANDOM.random((7, 7)),)), (outer_products, (RANDOM.random((6, 7)), RANDOM.random((6, 7)))), (wrapped, (INTS, 5)),
    (wrapped, (INTS.astype(np.int64), -3)), (spread, (RANDOM.random((40, 5)),)), (far, (np.ones(5), 2)), (far, (np.ones(5), 1)),
]

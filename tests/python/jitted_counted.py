"""Functions with statistics, integers of 64 bits, and loops that only their condition ends."""

import numpy as np

RANDOM = np.random.default_rng(44)


def bars(x, n):
    counts, edges = np.histogram(x, n)
    return counts, edges


def bars_between(x, low, high):
    counts, edges = np.histogram(x, bins=6, range=(low, high))
    return counts/counts.sum(), edges[0], edges[-1]


def covariances(x):
    return np.cov(x), np.corrcoef(x)


def correlation(a, b):
    return np.corrcoef(a, b)[0, 1], np.cov(a, b)[1, 1]


def crossed(a, b):
    out = np.zeros_like(a)
    for i in range(len(a)):
        out[i] = np.cross(a[i], b[i])
    return out, np.cross(np.array([1, 2, 3]), b[0])


def appended(a, b):
    return np.append(a, b), np.append(a, 2.5), np.append(3, 4)


def while_there_are(x, limit):
    total = 0
    i = 0
    while (left := len(x) - i) > 0:
        if x[i] > limit:
            total += left
        i += 1
    return total, left


def always_evaluated(x):
    if (n := len(x)) > 3:
        return n
    return -n


def halved(k):
    n = 0
    while k > 0:
        k //= 2
        n += 1
    return n


def digits(x):
    out = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        k = x[i]
        while k > 0:
            out[i] += k % 10
            k //= 10
    return out


def quotients(a, b):
    return a//b, -a//b, a//-b, a % b, (a + 1)//2


def generator(seed, n):
    out = np.empty(n)
    state = seed
    for i in range(n):
        state = (1103515245*state + 12345) & 0x7fffffff
        out[i] = state/0x7fffffff
    return out


def longest(n):
    k, steps, top = n, 0, 0
    while k != 1:
        k = k//2 if k % 2 == 0 else 3*k + 1
        top = max(top, k)
        steps += 1
        if steps > 100000:
            break
    return steps, top


def root(a):
    x = a
    while abs(x*x - a) > 1e-12*a:
        x = 0.5*(x + a/x)
    return x


def skips(n):
    i, total = 0, 0
    while True:
        i += 1
        if i % 3 == 0:
            continue
        if i > n:
            break
        total += i
    return i, total


def inserted(x):
    y = x.copy()
    for i in range(1, len(y)):
        k = y[i]
        j = i - 1
        while j >= 0 and y[j] > k:
            y[j + 1] = y[j]
            j -= 1
        y[j + 1] = k
    return y


def by_stack(x):
    x = x.copy()
    stack = np.zeros(128, dtype=np.int64)
    stack[1] = len(x) - 1
    top = 2
    while top > 0:
        top -= 2
        low, high = stack[top], stack[top + 1]
        if low >= high:
            continue
        pivot, i, j = x[(low + high)//2], low, high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while x[j] > pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i += 1
                j -= 1
        stack[top], stack[top + 1], stack[top + 2], stack[top + 3] = low, j, i, high
        top += 4
    return x


def beyond(x):
    i = 0
    while x[i] < 2.0:
        i += 1
    return i


def rolled(x, w):
    out = np.full(x.shape, np.nan)
    for i in range(w - 1, len(x)):
        out[i] = np.std(x[i - w + 1:i + 1])
    return out


def worst(r):
    total, peak, least, start, first, last = 1.0, 1.0, 0.0, 0, -1, -1
    for i, x in enumerate(r):
        total *= 1.0 + 0.01*x
        if total > peak:
            peak, start = total, i
        fall = (peak - total)/peak
        if fall > least:
            least, first, last = fall, start, i
    return least, first, last


def descent(x, y, n):
    w = np.zeros(x.shape[1])
    for _ in range(n):
        w = w - 0.1*(x.T @ (x @ w - y))/len(y)
    return w, x.T @ x, np.dot(x.T, y)


def pairs(n):
    out = []
    for i in range(n):
        for j in range(i):
            out.append((i, j))
    return out


def halves(n):
    out = []
    for i in range(n):
        out.append((1.0*i, 0.5*i))
    return n, out


def as_table(n):
    out = []
    for i in range(n):
        out.append((i, 0.25*i))
    return np.array(out)


def spectrum(a):
    values, vectors = np.linalg.eigh(a)
    return values, np.linalg.eigvalsh(a), np.abs(vectors)


def fitted(x, y):
    coefficients, _, _, _ = np.linalg.lstsq(x, y, rcond=None)
    return coefficients, np.linalg.lstsq(x, y)[0]


CASES = [
    (pairs, (5,)), (pairs, (2,)), (pairs, (0,)), (halves, (4,)), (as_table, (3,)), (as_table, (1,)),
    (spectrum, (RANDOM.random((6, 6)),)), (spectrum, (RANDOM.random((1, 1)),)), (fitted, (RANDOM.random((9, 3)), RANDOM.random(9))),
    (fitted, (RANDOM.random((3, 5)), RANDOM.random((3, 2)))),
    (bars, (RANDOM.normal(size=4000), 20)), (bars, (RANDOM.integers(0, 9, 100), 4)), (bars, (np.ones(3), 3)), (bars, (np.zeros(0), 2)),
    (bars, (RANDOM.normal(size=400), np.array([-1.0, 0.0, 0.25, 2.0]))), (bars, (RANDOM.random((20, 30)), 5)), (bars, (np.arange(11), np.arange(0, 11, 2))),
    (bars, (np.ones(3), 0)), (bars, (np.array([1.0, np.nan]), 3)), (bars, (np.ones(3), np.array([1.0, 0.0]))),
    (bars_between, (RANDOM.normal(size=500), -1.5, 1.5)), (bars_between, (RANDOM.normal(size=500), 2.0, 1.0)),
    (covariances, (RANDOM.normal(size=(4, 60)),)), (correlation, (RANDOM.random(50), RANDOM.random(50))), (correlation, (RANDOM.integers(0, 5, 9), RANDOM.random(9))),
    (crossed, (RANDOM.random((5, 3)), RANDOM.random((5, 3)))), (appended, (RANDOM.random(3), np.arange(4))), (appended, (RANDOM.random((2, 2)), RANDOM.random(1))),
    (while_there_are, (RANDOM.random(50), 0.4)), (while_there_are, (RANDOM.random(5000), 0.4)), (while_there_are, (np.zeros(0), 0.4)),
    (always_evaluated, (np.ones(5),)), (always_evaluated, (np.ones(2),)),
    (halved, (10**15,)), (halved, (2**31,)), (halved, (7,)), (digits, (RANDOM.integers(0, 10**15, 200),)),
    (quotients, (10**14 + 7, 10**5)), (quotients, (-(10**14) - 7, 3)), (quotients, (7, 10**12)), (quotients, (2**40, -5)),
    (generator, (123456789, 5000)), (longest, (27,)), (longest, (837799,)), (longest, (1,)), (root, (2.0,)), (root, (1e10,)),
    (skips, (10,)), (skips, (200000,)), (skips, (-1,)), (inserted, (RANDOM.random(700),)), (inserted, (RANDOM.random(2),)),
    (by_stack, (RANDOM.random(900),)), (by_stack, (RANDOM.random(1),)), (beyond, (RANDOM.random(20000),)), (beyond, (RANDOM.random(3),)),
    (beyond, (np.append(RANDOM.random(20000), 3.0),)), (rolled, (RANDOM.random(300), 25)), (rolled, (RANDOM.random(30), 1)),
    (worst, (RANDOM.normal(size=3000),)), (worst, (np.ones(9),)), (descent, (RANDOM.random((60, 7)), RANDOM.random(60), 40)),
]

"""Functions for `test_jit.py` that work on parts of arrays: names for parts, slices, elements that arrays choose, orders, linear systems."""

import numpy as np

import quadra

RANDOM = np.random.default_rng(23)
AROUND = ((-1, 0), (1, 0), (0, -1), (0, 1))
TAPS = (0.25, 0.5, 0.25)


def named_parts(a):
    row = a[1]
    row[0] = 7.0
    middle = a[1:3, ::2]
    middle[0, 1] += 1.0
    a[2, 0] = -1.0
    return row.sum(), middle[1, 0], middle[-1, -1], len(middle), row[-1]


def part_at_another_index(a):
    k = 1
    row = a[k]
    rest = a[k:]
    k = 0
    row[0] = 5.0
    rest[0, 1] = 6.0
    # The slices look alike, but their bounds differ.
    a[k:k + 2] = rest[:2]*2.0
    return row[0], rest[1, 1]


def parts_of_parts(a, k):
    v = a[1:4]
    return a[2][k], v[-1], v[1:][0], a[1:][::2][1], v[::-1][0][k]


def element_of_a_row(m, i, j):
    m[i][j] = 9.0
    m[i][j - 1] += 1.0
    return m[i][j]


def beyond_a_part(a, k):
    v = a[1:3]
    v[0] = 1.0
    return v[k]


def backwards(a, n):
    return a[n:1:-1], a[:n:-2], a[-2::-1], a[1:n:-1], a[100:-100:-3], a[n::-2]


def steps(a, n):
    a[n*n::n] = 0.0
    return a[::n], a[1:-1:n].copy()


def eliminated(a):
    m = a.copy()
    for k in range(len(m)):
        for i in range(len(m)):
            if i != k:
                m[i, k:] -= m[i, k]/m[k, k]*m[k, k:]
    return m


def shifted_onto_itself(a):
    a[1:] += a[:-1]
    a[:, 1:] = a[:, :-1]*2.0
    return a[0, -1]


def chosen_rows(a, order, flags):
    return a[order], a[flags], a[flags].sum(axis=0), a[:, order], a[order, 0], a[order, order], a[1, order], a[order, 1:]


def chosen_of_three(a, order):
    return a[[1, 0, -1]], a[order], a[:, order, 0], a[1, :, order], a[order, order]


def stored_chosen(a, order, flags, row):
    a[order] = row
    a[flags] *= 2.0
    a[flags, 0] = 5.0
    a[order, 1] += 1.0
    a[:, order] = 0.5
    return a.sum()


def stored_in_order(x, order, values):
    x[order] += 1.0
    x[x > 0.5] = values[: np.count_nonzero(x > 0.5)]
    x[order[::-1]] = values[:len(order)]
    return x


def wrong_mask(a, flags):
    return a[flags]


def rows_of(a):
    s = 0.0
    for row in a:
        row[0] = row[1]
        for v in row:
            s += v
    for i, row in enumerate(a, start=5):
        s += i*row[1]
    for row, v in zip(a, a[0]):
        s += row[0]*v
    for x, y, z in a:
        s += x*y - z
    return s


def tuples_from_outside(m):
    out = np.zeros_like(m)
    for i in range(1, m.shape[0] - 1):
        for j in range(1, m.shape[1] - 1):
            for di, dj in AROUND:
                out[i, j] += m[i + di, j + dj]
            for k in range(3):
                out[i, j] += TAPS[k]*m[i, j + k - 1]
    return out, len(AROUND), TAPS[-1]


def triple(n):
    out = np.empty((n, 3))
    x, y, z = 1.0, 2.0, 3.0
    for i in range(n):
        out[i] = x, y, z
        x, y, z = y, z, 0.5*x
    out[0, 1:] = 8, 9
    return out


def orders(a):
    b = a.copy()
    b.sort()
    # Equal elements stay in their order.
    order = np.argsort(a, kind="stable")
    return b, order, (a*2.0 + order*1e-9).argsort()[0], np.sort(a), a[order[-1]], np.unique(a), np.median(a)


def lists_in_order(a):
    found = [5]
    for v in a:
        found.append(int(v))
    found.sort()
    last = found[-2:]
    found.reverse()
    return found, last, found[::-1], found[1:3]


def until_small(x):
    while True:
        new = x*0.5
        if new < 0.01:
            break
        x = new
    return new, x


def nothing(a):
    a[0] = 3.0
    if a[1] > 0.0:
        return None
    a[1] = 1.0
    return None


def walked(step):
    at = 0
    n = 0
    while n < len(step):
        at = step[at]
        n += 1
    return n


@quadra.jit
def scaled(x, by=2.0, more=0):
    return x*by + more


def passes_by_name(x):
    return scaled(x), scaled(x, more=3), scaled(x, 5.0), scaled(by=0.5, x=x)


def systems(a, b):
    c = a.T @ a + np.eye(len(a))
    x = np.linalg.solve(a, b)
    return x, np.linalg.solve(c, a), np.linalg.inv(a) @ b, np.linalg.det(a), np.linalg.cholesky(c), np.linalg.pinv(a[:, :2])


def inverse(a):
    return np.linalg.inv(a)


def refuses(x):
    if x < 0:
        raise ValueError("it is negative")
    return x


def known_arguments(x, how="mean", weights=None):
    if weights is None:
        weights = np.ones(len(x))
    s = (x*weights).sum()
    if how == "mean":
        return s/weights.sum()
    elif how != "sum":
        raise ValueError("how")
    return s


known = quadra.jit(known_arguments)


def chosen_way(x, how=None):
    return known(x) + known(x, "sum", x) if how is None else known(x, how=how)


def distance_to(p, q, shape):
    x, y = q
    out = np.zeros(shape)
    for i in range(shape[0]):
        out[i, 0] = (p[i, 0] - x)**2 + (p[i, 1] - q[1])**2
    return out, len(q)


far = quadra.jit(distance_to)


def passes_tuples(p, q):
    a, n = far(p, (q[1], q[0]), (len(p), 2))
    b, m = far(p, q, (2, 1))
    return a, b, n + m


def axes(a):
    return a.sum(axis=(0, 1)), np.max(a, axis=(0, -1)), a.mean(axis=(1, 2)), np.where(a[0, 0] > 0.5)[0], a.min(axis=(0, 1, 2))


ROWS, ORDER = RANDOM.random((4, 3)), np.array([2, 0, -1])
FLAGS = np.array([True, False, True, False])

CASES = [
    (named_parts, (RANDOM.random((4, 5)),)), (part_at_another_index, (RANDOM.random((4, 3)),)), (parts_of_parts, (RANDOM.random((5, 2)), 1)),
    (element_of_a_row, (RANDOM.random((4, 5)), 2, 0)), (element_of_a_row, (RANDOM.random((4, 5)), -1, -2)),
    (beyond_a_part, (RANDOM.random(5), 1)), (beyond_a_part, (RANDOM.random(5), -2)), (beyond_a_part, (RANDOM.random(5), 2)),
    (backwards, (RANDOM.random(9), 6)), (backwards, (RANDOM.random(9), -2)), (backwards, (RANDOM.random(3), 20)), (steps, (RANDOM.random(20), 3)),
    (eliminated, (RANDOM.random((5, 5)) + 5*np.eye(5),)), (shifted_onto_itself, (RANDOM.random((5, 6)),)),
    (chosen_rows, (ROWS, ORDER, FLAGS)), (chosen_of_three, (RANDOM.random((4, 3, 5)), np.array([0, 2]))),
    (stored_chosen, (RANDOM.random((4, 3)), np.array([1, 0]), FLAGS, np.array([1.0, 2.0, 3.0]))),
    (stored_in_order, (RANDOM.random(30), np.array([3, 3, -1, 0]), RANDOM.random(30))), (wrong_mask, (RANDOM.random((4, 3)), FLAGS[:3])),
    (rows_of, (RANDOM.random((3, 3)),)), (tuples_from_outside, (RANDOM.random((5, 6)),)), (triple, (4,)),
    (orders, (np.array([3.0, 1.0, np.inf, 1.0, -2.0]),)), (orders, (RANDOM.integers(0, 9, 30),)), (orders, (RANDOM.integers(0, 9, 30).astype(np.uint8),)),
    (lists_in_order, (RANDOM.integers(0, 9, 6),)), (until_small, (1.0,)), (nothing, (np.ones(3),)), (nothing, (-np.ones(3),)),
    (passes_by_name, (1.5,)), (walked, (np.array([2, 0, 1]),)), (systems, (RANDOM.random((4, 4)) + 4*np.eye(4), RANDOM.random(4))), (inverse, (RANDOM.random((3, 3)) + np.eye(3),)),
    (known_arguments, (RANDOM.random(5),)), (known_arguments, (RANDOM.random(5), "sum")), (known_arguments, (RANDOM.random(5), "sum", RANDOM.random(5))),
    (known_arguments, (RANDOM.random(5), "other")), (chosen_way, (RANDOM.random(5),)), (chosen_way, (RANDOM.random(5), "sum")),
    (distance_to, (RANDOM.random((4, 2)), (0.5, 1), (3, 2))), (passes_tuples, (RANDOM.random((4, 2)), (0.5, 0.25))), (axes, (RANDOM.random((3, 4, 5)),)),
    (inverse, (np.zeros((2, 2)),)), (inverse, (np.ones((2, 3)),)), (refuses, (2,)), (refuses, (-2,)),
]

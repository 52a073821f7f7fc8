"""Functions for `test_jit.py` with comprehensions that choose or combine, imports of their own, and functions of NumPy on whole arrays."""

import numpy as np

RANDOM = np.random.default_rng(31)


def chosen(x):
    out = [2.0*a for a in x if a > 0.3 if a < 0.8]
    out.append(1.0)
    return len(out), out


def of_two_loops(a):
    return np.array([a[i, j] for i in range(a.shape[0]) for j in range(i + 1, a.shape[1]) if i + j != 3])


def of_pairs(a, b):
    return sum(x*y for x, y in zip(a, b)), max(abs(x - y) for x, y in zip(a, b)), min(i for i, x in enumerate(a) if x > 0.1)


def of_truths(x):
    return any(a > 0.99 for i, a in enumerate(x) if i > 2), all(a >= 0 for a in x if a != 0.5), sum(a for a in x if a > -2)


def in_cases(x, n):
    a = 7
    kept = sum(a for a in x if a > 0.5) if n > 0 else max([2.0*a for a in x if a < 0.5])
    # The variable of a comprehension is its own.
    return kept, a


def of_itself(n):
    x = [1.0*i for i in range(n) if i % 2 == 0]
    x = [a + len(x) for a in x if a > 1.0]
    for v in [a for a in range(n) if a > 3]:
        if len([b for b in range(v) if b > 4]) > 2:
            x.append(float(v))
    return x


def counted_pairs(a):
    s = 0.0
    for i, (x, y) in enumerate(zip(a, a[1:]), 1):
        if i == 5:
            continue
        if i > 12:
            break
        s += i*(y - x)
    for k, (x, y) in enumerate(zip(a[::2], a)):
        s -= k*x*y
    return s


def imports(x):
    import math
    from math import pi as half_turn, sqrt
    import numpy as other
    return sqrt(x[0])*half_turn + other.sum(x) + math.hypot(3.0, x[1])


def truth_of_either(x, n):
    return (x[0] > 0.5) if n > 0 else n == 0


def triangles(a):
    return np.tril(a), np.triu(a), np.tril(a, 2), np.triu(a, -1), np.tril(a, -9), np.hstack((a, a[:, :2])), np.median(a), np.cumsum(a)


def counts(a):
    return np.bincount(a), np.bincount(a, minlength=12), np.digitize(a, np.array([2, 4, 5])), np.digitize(a, np.array([5, 3]))


def count_negative(n):
    return np.bincount(np.array([1, n, 2]))


def polynomials(c, x):
    return np.polyval(c, x), np.polyval(c, 0.5), np.polyval(np.array([1, 2, 3]), 4)


def folded(x):
    return np.convolve(x, np.array([0.25, 0.5, 0.25])), np.convolve(np.array([1, 2, 3]), np.array([1, 0, 2])), np.gradient(x), np.gradient(np.array([1, 4, 9, 16]))


def slope_of_one(x):
    return np.gradient(x[:1])


def floating_ranges(a, step):
    return np.arange(0, 1, 0.1), np.arange(a), np.arange(a, 0.0, -step), np.arange(1.0, 0.0), np.arange(0.1, 3, step).sum()


def nearly(a, b):
    return np.allclose(a, b), np.allclose(a, b, atol=0.5), np.isclose(a, b, rtol=0.1, atol=0.0), np.isclose(1.0, 1.0 + 1e-9), np.array_equal(a, b), np.array_equal(a, a[1:])


def taken(a, i):
    return np.take(a, i), np.take(a, i, axis=0), np.take(a, 3), np.transpose(a, (1, 0))


def beyond_its_own(a, n):
    b = 2.0*a
    out = np.zeros(n)
    for i in range(n):
        out[i] = b[i, 1]
    return out


def beyond_transposed(a, n):
    return a.T[1, n]


def beyond_made(n):
    b = np.ones(3)
    s = 0.0
    for i in range(n):
        s += b[i]
    return s


def beyond_sorted(x, n):
    x = np.sort(x)
    return np.array([x[i + n] for i in range(3)])


def beyond_returned(n):
    def ones(k):
        return np.ones(k)

    x = ones(n)
    return np.array([x[i + 1] for i in range(n)])


def other_axes(a):
    return a.transpose(2, 0, 1), a.transpose((1, 0, 2))[2, 1], np.transpose(a, (0, -1, 1)), a.transpose(2, 0, 1).sum(axis=0)


CASES = [
    (chosen, (RANDOM.random(30),)), (chosen, (np.zeros(0),)), (of_two_loops, (RANDOM.random((5, 6)),)), (of_pairs, (RANDOM.random(9), RANDOM.random(8))),
    (of_truths, (RANDOM.random(40),)), (of_truths, (np.ones(5),)), (in_cases, (RANDOM.random(20), 1)), (in_cases, (RANDOM.random(20), 0)),
    (of_itself, (12,)), (of_itself, (0,)), (counted_pairs, (RANDOM.random(30),)), (counted_pairs, (RANDOM.random(1),)), (imports, (RANDOM.random(5),)),
    (truth_of_either, (RANDOM.random(2), 1)), (triangles, (RANDOM.random((5, 7)),)), (triangles, (RANDOM.random((6, 2)),)),
    (counts, (RANDOM.integers(0, 7, 30),)), (counts, (RANDOM.integers(0, 7, 30).astype(np.uint8),)), (count_negative, (-1,)),
    (polynomials, (RANDOM.random(4), RANDOM.random(6))), (folded, (RANDOM.random(9),)), (slope_of_one, (RANDOM.random(3),)),
    (floating_ranges, (2.5, 0.7)), (nearly, (np.array([1.0, np.inf, np.nan, 2.0]), np.array([1.0, np.inf, np.nan, 2.1]))),
    (nearly, (RANDOM.random(4), RANDOM.random(4))), (nearly, (np.ones(3), np.ones(3) + 1e-7)), (taken, (RANDOM.random((5, 2)), np.array([3, 0, -1]))),
    (beyond_its_own, (RANDOM.random((4, 3)), 4)), (beyond_its_own, (RANDOM.random((4, 3)), 6)), (beyond_transposed, (RANDOM.random((2, 3, 4)), 2)),
    (beyond_transposed, (RANDOM.random((2, 3, 4)), 3)), (beyond_made, (3,)), (beyond_made, (9,)), (beyond_sorted, (RANDOM.random(3), 0)),
    (beyond_sorted, (RANDOM.random(3), 2)), (beyond_returned, (4,)),
    (other_axes, (RANDOM.random((2, 3, 4)),)),
]

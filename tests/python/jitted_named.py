"""Constants with a name, methods, axes, transforms, lists among arrays."""

import numpy as np

RANDOM = np.random.default_rng(48)
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
RULE = [[0.5, 0.25], [0.125, 1.0]]


def walked(n):
    moves = ((0, 1), (1, 0), (0, -1), (-1, 0))
    seen = np.zeros((n, n), np.int64)
    y, x, k = n//2, n//2, 0
    for step in range(n*n):
        seen[y, x] += step
        dy, dx = moves[k]
        if 0 <= y + dy < n and 0 <= x + moves[k][1] < n:
            y, x = y + dy, x + dx
        k = (k + step) % 4
    return seen, y, x, len(moves)


def around(a):
    out = np.zeros_like(a)
    dy, dx = [0, 0, 1, -1], [1, -1, 0, 0]
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            for k in range(4):
                out[i, j] += a[i + dy[k], j + dx[k]]*(k + 1)
    return out


def knights(n, r, c):
    p = np.zeros((n, n))
    for m in ((1, 2), (2, 1), (-1, 2), (-2, 1)):
        if 0 <= r + m[0] < n and 0 <= c + m[1] < n:
            p[r + m[0], c + m[1]] += 0.125*m[0]
    for a, b in STEPS:
        p[(r + a) % n, (c + b) % n] += a - b
    s = 0.0
    for k in range(2):
        for j in range(2):
            s += RULE[k][j]*p[k, j]
    return p, s


def chosen(a, b, k):
    pair = (a*2, b + a)
    nested = ((a, b), (b, a + b))
    u, v = nested[k]
    return pair[k], u - v, nested[1][0], pair[-1]


def beyond_tuple(a, k):
    t = (a, a + 1, a + 2)
    return t[k]


def written_list(n):
    weights = [1, 2, 3]
    weights[1] = n
    nested = [[1, 2], [3, 4]]
    return weights[1] + nested[1][n % 2], weights


def totals_of_constants(n):
    coins = (1, 5, 10, 25)
    ways = np.zeros(n + 1, np.int64)
    ways[0] = 1
    for c in coins:
        for i in range(c, n + 1):
            ways[i] += ways[i - c]
    return ways[n], sum(coins), max(coins), [2*c for c in coins], n in coins



def methods_of_numpy_2(a, k):
    return a.cumsum(), a.cumprod(), a.round(1), a.repeat(3), a.argsort(), a.searchsorted(0.5), a.take(k), a.nonzero()[0], a.item(1), a[0].item()


def methods_of_matrices(a):
    return a.cumsum(), a.cumsum(axis=0), a.cumsum(1), a.trace(), a.diagonal(), a.argsort(), a.argsort(axis=0), a.nonzero()[1], a.clip(0.2, 0.7), a.round(2)


def sorted_in_place(a):
    a.sort()
    return a[0, -1]


def filled(a, v):
    for k in range(len(a)):
        a[k].fill(v + k)
    return a


def axes(a):
    return np.cumsum(a, axis=0), np.cumprod(a, axis=1), np.diff(a, axis=0), np.diff(a), np.sort(a, axis=0), np.sort(a), np.argsort(a, axis=-1)


def axes_of_cubes(a):
    return np.cumsum(a, axis=1), np.diff(a, axis=2), np.roll(a, 2, axis=1), np.sort(a, axis=1)


def moved_round(a, n):
    return np.roll(a, n), np.roll(a, -1, axis=0), np.roll(a, n, axis=1) - a, np.roll(a[1:], n, 0)


def laplacian(u, steps):
    for _ in range(steps):
        u = u + 0.1*(np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1) - 4*u)
    return u


def spread(a):
    return a.std(ddof=1), np.var(a, ddof=1), a.std(axis=0, ddof=1), np.std(a, 1, ddof=2), np.var(a, axis=0, ddof=0, keepdims=True)


def places(a, v):
    return np.searchsorted(a, v), np.searchsorted(a, v, side="right"), np.searchsorted(a, v, "left"), a.searchsorted(v[0], side="right")


def parts_of_tuples(x):
    found = [(0, x[0])]
    for i in range(1, len(x)):
        if x[i] > found[-1][1]:
            found.append((i, x[i]))
    return np.array([q[0] for q in found]), np.array([q[1] for q in found]), [q[0]*2 for q in found], sum(q[1] for q in found)


def batches(a, b, m, v):
    return a @ m, a @ v, a @ b, np.matmul(a, b), m.T @ b, np.dot(a, m)


def quantised(img, step):
    return img//step*step + step//2, img[0, 0] + step, img & step


def transformed(x):
    f = np.fft.fft(x)
    return f, np.fft.ifft(f), np.fft.rfft(x), np.fft.irfft(np.fft.rfft(x)), np.fft.irfft(np.fft.rfft(x), n=len(x)), np.fft.fft(x, 8), np.fft.rfft(x, n=5)


def frequencies(n, d):
    return np.fft.fftfreq(n), np.fft.fftfreq(n, d), np.fft.rfftfreq(n, d=d), np.fft.fftshift(np.fft.fftfreq(n)), np.fft.ifftshift(np.arange(n))


def of_matrices(a):
    return np.fft.fft2(a), np.fft.ifft2(a), np.fft.fft(a), np.fft.fftshift(np.abs(np.fft.fft2(a)))


def shapes_of_windows(n):
    return np.hanning(n), np.hamming(n), np.blackman(n), np.bartlett(n)


def strongest(x, rate):
    power = np.abs(np.fft.rfft((x - x.mean())*np.hanning(len(x))))**2
    f = np.fft.rfftfreq(len(x), 1.0/rate)
    return f[np.argmax(power)], power.sum()


def smoothed(x, width):
    kernel = np.exp(-0.5*(np.arange(len(x)) - len(x)//2)**2/width**2)
    return np.real(np.fft.ifft(np.fft.fft(x)*np.fft.fft(np.fft.ifftshift(kernel))))/kernel.sum()


def rows_stored(n):
    s, i, r = 0.99, 0.01, 0.0
    history = np.zeros((n, 3))
    pairs = np.zeros((n, 2, 2))
    for d in range(n):
        history[d] = [s, i, r]
        history[d, :] += [0.0, 0.25, 0.5]
        pairs[d] = [[s, i], (i, r)]
        s, i, r = s - 0.4*s*i, i + 0.4*s*i - 0.1*i, r + 0.1*i
    return history, pairs


def lists_among_arrays(x):
    y = x + [1.0, 2.0, 3.0]
    y *= [2, 2, 1]
    return y, np.dot(x, [1, 0, 2]), x @ [1.0, 1.0, 1.0], np.sum([x[0], x[1]]), np.maximum(x, (0.5, 0.25, 0.5)), np.mean([1, 2, 4]), np.array([x, 2*x]), max([x[0], x[2]])

def coins(cs, total):
    ways = np.zeros(total + 1, np.int64)
    ways[0] = 1
    for c in cs:
        for k in range(c, total + 1):
            ways[k] += ways[k - c]
    return ways[total], len(cs), cs[0]


def weighted(x, weights):
    half = len(weights)//2
    out = np.zeros_like(x)
    for i in range(half, len(x) - half):
        for k in range(len(weights)):
            out[i] += weights[k]*x[i + k - half]
    return out, sum(weights), max(weights), weights[-1], weights[1:], 0.5 in weights


def collected(first, n):
    out = [v for v in first]
    for k in range(n):
        out.append(out[-1] + first[k % len(first)])
    return out, np.array(first) + 1, [2*v for v in first], n not in first


def empty_or_not(values):
    if not values:
        return -1
    return values[len(values) - 1]


def contained(x, v):
    return v in x, v not in x[1:]


SIGNAL = RANDOM.normal(size=24)
CASES = [
    (walked, (7,)), (walked, (2,)), (around, (RANDOM.random((6, 9)),)), (around, (RANDOM.integers(0, 9, (5, 5)),)), (knights, (5, 2, 2)), (knights, (3, 0, 1)),
    (chosen, (3, 4, 0)), (chosen, (3, 4, -1)), (chosen, (2.5, 0.5, 1)), (beyond_tuple, (2, 3)), (beyond_tuple, (2, -3)), (beyond_tuple, (2, -4)),
    (written_list, (5,)), (totals_of_constants, (30,)), (totals_of_constants, (25,)),
    (methods_of_numpy_2, (RANDOM.random(9), np.array([1, 1, 4]))), (methods_of_numpy_2, (np.sort(RANDOM.random(5)).astype(np.float32), np.array([0]))),
    (methods_of_matrices, (RANDOM.random((4, 4)),)), (methods_of_matrices, (RANDOM.random((3, 5)),)), (sorted_in_place, (RANDOM.random((4, 6)),)),
    (filled, (np.zeros((3, 4)), 2.5)), (axes, (RANDOM.random((5, 4)),)), (axes, (RANDOM.permutation(21).reshape(3, 7),)), (axes, (RANDOM.random((1, 1)).astype(np.float32),)),
    (axes_of_cubes, (RANDOM.random((2, 4, 3)),)), (moved_round, (RANDOM.random((4, 5)), 3)), (moved_round, (RANDOM.integers(0, 9, (2, 3)), -7)),
    (laplacian, (RANDOM.random((9, 8)), 5)), (spread, (RANDOM.random((6, 4)),)), (spread, (RANDOM.random((3, 3)).astype(np.float32),)), (spread, (RANDOM.integers(0, 99, (4, 4)),)),
    (places, (np.sort(RANDOM.random(20)), RANDOM.random((7,)))), (places, (np.array([1, 2, 2, 2, 5]), np.array([2, 0, 9, 5]))),
    (parts_of_tuples, (RANDOM.random(40),)), (parts_of_tuples, (np.array([3, 1, 5, 4, 9]),)),
    (batches, (RANDOM.random((3, 4, 4)), RANDOM.random((3, 4, 4)), RANDOM.random((4, 4)), RANDOM.random(4))),
    (quantised, (RANDOM.integers(0, 256, (4, 5), np.uint8), 32)), (quantised, (RANDOM.integers(0, 256, (4, 5), np.uint8), 300)), (quantised, (RANDOM.integers(-99, 99, (4, 5)), -7)),
    (transformed, (SIGNAL,)), (transformed, (SIGNAL[:15],)), (transformed, (SIGNAL[:7].astype(np.float32),)), (transformed, (np.arange(6),)),
    (frequencies, (8, 0.5)), (frequencies, (7, 3.0)), (frequencies, (1, 2)), (of_matrices, (RANDOM.random((4, 6)),)), (of_matrices, (RANDOM.random((5, 3)) + 1j,)),
    (strongest, (np.sin(np.arange(200)*0.3), 100.0)), (smoothed, (SIGNAL, 1.5)), (rows_stored, (6,)), (rows_stored, (1,)), (lists_among_arrays, (RANDOM.random(3),)),
    (shapes_of_windows, (12,)), (shapes_of_windows, (1,)), (shapes_of_windows, (0,)), (coins, ([1, 2, 5], 100)), (coins, ([7], 20)), (weighted, (RANDOM.random(30), [0.25, 0.5, 0.25])), (weighted, (RANDOM.random(9), [1.5, 2.0])),
    (collected, ([1, 2], 400)), (collected, ([0.5, 0.25, 1.0], 3)), (empty_or_not, ([],)), (empty_or_not, ([4, 5],)), (contained, (np.arange(5), 0)), (contained, (np.arange(5), 7)),
]

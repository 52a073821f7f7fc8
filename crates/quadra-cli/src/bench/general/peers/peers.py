"""The kernels of `quadra bench general` for Numba and NumPy: `peers.py DIRECTORY numba|numpy`, driven as driver.c is."""

import math
import os
import sys
import time

import numpy as np

DIRECTORY, PEER = sys.argv[1:3]
TYPES = {"f32": np.float32, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "i16": np.int16}
f32 = np.float32

if PEER == "numba":
    from numba import njit, prange

    parallel = njit(parallel=True, fastmath=True, cache=True)
    serial = njit(fastmath=True, cache=True)
else:
    prange = range

    def parallel(f):
        return f

    serial = parallel


# Numba.


@parallel
def nb_products(a, b):
    c = np.empty_like(a)
    for i in prange(a.size):
        c[i] = a[i] * b[i] + i
    return c


@parallel
def nb_quotients(a, b):
    q, r = np.empty_like(a), np.empty_like(a)
    for i in prange(a.size):
        q[i] = a[i] // b[i]
        r[i] = a[i] % b[i]
    return q, r


@parallel
def nb_powers(a, n, m):
    y = np.empty_like(a)
    for i in prange(a.size):
        r, x = np.int64(1), a[i]
        for _ in range(12):
            r = r * x % m
            x = x * x % m
        y[i] = r
    return y


@parallel
def nb_dot64(a, b):
    s = np.int64(0)
    for i in prange(a.size):
        s += a[i] * b[i]
    return s


@parallel
def nb_fixed_point(x, n, scale):
    y = np.empty_like(x)
    for i in prange(x.size):
        y[i] = (x[i] * scale) >> 16
    return y


@serial
def nb_seam(e):
    h, w = e.shape
    m = e.copy()
    for y in range(1, h):
        for x in range(w):
            best = m[y - 1, x]
            best = min(best, m[y - 1, max(x - 1, 0)])
            m[y, x] = e[y, x] + min(best, m[y - 1, min(x + 1, w - 1)])
    return m


@serial
def nb_seam_row(e):
    h, w = e.shape
    row, after = e[0].copy(), np.empty(w, np.float32)
    for y in range(1, h):
        for x in range(w):
            best = min(row[x], row[max(x - 1, 0)])
            after[x] = e[y, x] + min(best, row[min(x + 1, w - 1)])
        row, after = after, row
    return row


@serial
def nb_viterbi(a, b):
    v = np.empty_like(b)
    v[0] = b[0]
    for t in range(1, b.shape[0]):
        v[t] = -1e30
        for r in range(a.shape[0]):
            for s in range(a.shape[0]):
                v[t, s] = max(v[t, s], v[t - 1, r] + a[r, s])
        for s in range(a.shape[0]):
            v[t, s] += b[t, s]
    return v


@serial
def nb_edit_distance(a, b):
    d = np.empty((a.size + 1, b.size + 1), np.int32)
    for i in range(a.size + 1):
        d[i, 0] = i
    for j in range(b.size + 1):
        d[0, j] = j
    for i in range(1, a.size + 1):
        for j in range(1, b.size + 1):
            change = d[i - 1, j - 1] + (0 if a[i - 1] == b[j - 1] else 1)
            d[i, j] = min(change, min(d[i - 1, j], d[i, j - 1]) + 1)
    return d


@parallel
def nb_smooth_rows(x, h, w, k):
    y, k = np.empty_like(x), np.float32(k)
    for m in prange(x.shape[0]):
        s = x[m, 0]
        for n in range(x.shape[1]):
            s += k * (x[m, n] - s)
            y[m, n] = s
    return y


@serial
def nb_logistic_map(start, r, n):
    x, r = np.empty(int(n), np.float32), np.float32(r)
    x[0] = start
    for i in range(1, x.size):
        x[i] = r * x[i - 1] * (np.float32(1) - x[i - 1])
    return x


@serial
def nb_positives(x):
    y, k = np.zeros_like(x), 0
    for i in range(x.size):
        if x[i] > np.float32(0.5):
            y[k] = x[i]
            k += 1
    return y, k


@serial
def nb_positions(x):
    y, k = np.zeros(x.size, np.int32), 0
    for i in range(x.size):
        if x[i] > np.float32(0.9):
            y[k] = i
            k += 1
    return y, k


@serial
def nb_halves(x):
    low, high, a, b = np.zeros_like(x), np.zeros_like(x), 0, 0
    for i in range(x.size):
        if x[i] < np.float32(0.5):
            low[a] = x[i]
            a += 1
        else:
            high[b] = x[i]
            b += 1
    return low, high


@serial
def nb_runs(x):
    y, k = np.zeros_like(x), 1
    for i in range(1, x.size):
        if x[i] != x[i - 1]:
            y[k] = i
            k += 1
    return y, k


@parallel
def nb_polar(x, y):
    r, t = np.empty_like(x), np.empty_like(x)
    for i in prange(x.size):
        r[i] = math.sqrt(x[i] * x[i] + y[i] * y[i])
        t[i] = math.atan2(y[i], x[i])
    return r, t


@parallel
def nb_waves(x, y):
    z = np.empty_like(x)
    for i in prange(x.size):
        z[i] = math.sin(f32(10) * x[i]) * math.cos(f32(7) * y[i]) + math.tan(f32(0.5) * x[i])
    return z


@parallel
def nb_gamma_curve(x):
    y = np.empty_like(x)
    for i in prange(x.size):
        v = x[i]
        y[i] = f32(12.92) * v if v <= f32(0.0031308) else f32(1.055) * v ** f32(0.41666667) - f32(0.055)
    return y


@parallel
def nb_activations(x):
    y, z = np.empty_like(x), np.empty_like(x)
    for i in prange(x.size):
        v = f32(8) * x[i] - f32(4)
        y[i] = math.tanh(v)
        z[i] = math.log(f32(1) + math.exp(v))
    return y, z


@parallel
def nb_gray(x):
    h, w, _ = x.shape
    y = np.empty((h, w), np.uint8)
    for m in prange(h):
        for n in range(w):
            y[m, n] = (np.int32(77) * x[m, n, 0] + np.int32(150) * x[m, n, 1] + np.int32(29) * x[m, n, 2]) >> 8
    return y


@parallel
def nb_add_saturated(a, b):
    c = np.empty_like(a)
    for i in prange(a.size):
        c[i] = min(np.int32(a[i]) + np.int32(b[i]), np.int32(255))
    return c


@parallel
def nb_blend(a, b, n, alpha):
    c, alpha = np.empty_like(a), np.int32(alpha)
    for i in prange(a.size):
        c[i] = (np.int32(a[i]) * alpha + np.int32(b[i]) * (np.int32(256) - alpha)) >> 8
    return c


@parallel
def nb_products8(a, b):
    c = np.empty_like(a)
    for p in prange(a.shape[0]):
        for i in range(8):
            for j in range(8):
                s = f32(0)
                for k in range(8):
                    s += a[p, i, k] * b[p, k, j]
                c[p, i, j] = s
    return c


@parallel
def nb_block_sums(x):
    h, w = x.shape[0] // 8, x.shape[1] // 8
    y = np.empty((h, w), np.float32)
    for m in prange(h):
        for n in range(w):
            s = f32(0)
            for k in range(8):
                for l in range(8):
                    s += x[8 * m + k, 8 * n + l]
            y[m, n] = s
    return y


@parallel
def nb_nearest(x):
    at = np.empty(x.shape[0], np.int32)
    for m in prange(x.shape[0]):
        at[m] = np.argmin(x[m])
    return at


@parallel
def nb_counts(x):
    y = np.empty(x.size // 16, np.int32)
    for m in prange(y.size):
        c = 0
        for k in range(16):
            c += x[16 * m + k] > f32(0.5)
        y[m] = c
    return y


@parallel
def nb_unit_rows(x):
    y = np.empty_like(x)
    for m in prange(x.shape[0]):
        s = f32(0)
        for n in range(x.shape[1]):
            s += x[m, n] * x[m, n]
        f = f32(1) / math.sqrt(s)
        for n in range(x.shape[1]):
            y[m, n] = x[m, n] * f
    return y


@parallel
def nb_softmax(x):
    y = np.empty_like(x)
    for m in prange(x.shape[0]):
        most, s = x[m].max(), f32(0)
        for n in range(x.shape[1]):
            y[m, n] = math.exp(x[m, n] - most)
            s += y[m, n]
        for n in range(x.shape[1]):
            y[m, n] /= s
    return y


@parallel
def nb_laplace_circular(x):
    h, w = x.shape
    y = np.empty_like(x)
    for m in prange(h):
        for n in range(w):
            left, right = n - 1 if n > 0 else w - 1, n + 1 if n < w - 1 else 0
            up, down = m - 1 if m > 0 else h - 1, m + 1 if m < h - 1 else 0
            y[m, n] = x[up, n] + x[down, n] + x[m, left] + x[m, right] - f32(4) * x[m, n]
    return y


@parallel
def nb_local_contrast(x, h, w, t):
    y, t = np.zeros_like(x), np.float32(t)
    for m in prange(1, x.shape[0] - 1):
        for n in range(1, x.shape[1] - 1):
            if x[m, n] > t:
                y[m, n] = x[m, n] - f32(0.25) * (x[m - 1, n] + x[m + 1, n] + x[m, n - 1] + x[m, n + 1])
            else:
                y[m, n] = x[m, n] * f32(0.5)
    return y


@serial
def nb_counts16(x):
    h = np.zeros(65536, np.int32)
    for i in range(x.size):
        h[x[i]] += 1
    return h


@serial
def nb_weighted(x, w):
    h = np.zeros(256, np.float32)
    for i in range(x.size):
        h[x[i]] += w[i]
    return h


@serial
def nb_joint(a, b):
    h = np.zeros((256, 256), np.int32)
    for i in range(a.size):
        h[a[i], b[i]] += 1
    return h


@serial
def nb_clusters(x, label):
    sums, many = np.zeros((1000, 2), np.float32), np.zeros(1000, np.int32)
    for i in range(label.size):
        sums[label[i], 0] += x[i, 0]
        sums[label[i], 1] += x[i, 1]
        many[label[i]] += 1
    return sums, many


@serial
def nb_wave(start, n, steps):
    u, before, after = start.copy(), start.copy(), np.zeros_like(start)
    for _ in range(int(steps)):
        for i in range(1, u.size - 1):
            after[i] = f32(2) * u[i] - before[i] + f32(0.25) * (u[i - 1] - f32(2) * u[i] + u[i + 1])
        before, u, after = u, after, before
    return u


@serial
def nb_life(start, h, w, steps):
    a, b = start.copy(), start.copy()
    for _ in range(int(steps)):
        for m in range(1, a.shape[0] - 1):
            for n in range(1, a.shape[1] - 1):
                s = a[m - 1, n - 1] + a[m - 1, n] + a[m - 1, n + 1] + a[m, n - 1]
                s += a[m, n + 1] + a[m + 1, n - 1] + a[m + 1, n] + a[m + 1, n + 1]
                b[m, n] = s == 3 or (s == 2 and a[m, n] == 1)
        a, b = b, a
    return a


@serial
def nb_jacobi(b, n, steps):
    x, y = np.zeros_like(b), np.zeros_like(b)
    for _ in range(int(steps)):
        for i in range(1, b.size - 1):
            y[i] = f32(0.5) * (b[i] + x[i - 1] + x[i + 1])
        for i in range(1, b.size - 1):
            x[i] = y[i]
    return x


@serial
def nb_bodies(start, n, steps):
    x, v, f = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for _ in range(int(steps)):
        for i in range(x.size):
            s = f32(0)
            for j in range(x.size):
                d = x[j] - x[i]
                e = d * d + f32(0.01)
                s += d / (e * math.sqrt(e))
            f[i] = s
        for i in range(x.size):
            v[i] += f32(0.00001) * f[i]
            x[i] += f32(0.001) * v[i]
    return x, v


# NumPy, where it has words for the kernel.


def np_doubling(x, n):
    a, d = x.copy(), 1
    while d < a.size:
        b = a.copy()
        b[d:] += a[:-d]
        a, d = b, 2 * d
    return a


def np_block_sums(x, *_):
    h, w = x.shape[0] // 8, x.shape[1] // 8
    return x.reshape(h, 8, w, 8).sum(axis=(1, 3))


def np_halves(x, *_):
    less = x < f32(0.5)
    low, high = np.zeros_like(x), np.zeros_like(x)
    a, b = x[less], x[~less]
    low[: a.size], high[: b.size] = a, b
    return low, high


def np_seam(e, *_):
    m = e.copy()
    for y in range(1, e.shape[0]):
        before = m[y - 1]
        best = before.copy()
        np.minimum(best[1:], before[:-1], out=best[1:])
        np.minimum(best[:-1], before[1:], out=best[:-1])
        m[y] += best
    return m


def np_gradient(x, *_):
    p = np.pad(x, 1, mode="edge")
    left, right = p[:, :-2], p[:, 2:]
    d = right - left
    h = d[:-2] + 2 * d[1:-1] + d[2:]
    s = left + 2 * p[:, 1:-1] + right
    return np.hypot(h, s[2:] - s[:-2])


NUMPY = {
    "products": lambda a, b, n: a * b + np.arange(a.size),
    "quotients": lambda a, b, n: (a // b, a % b),
    "dot64": lambda a, b, n: np.dot(a, b),
    "fixed_point": lambda x, n, k: ((x.astype(np.int64) * int(k)) >> 16).astype(np.int32),
    "seam": np_seam,
    "seam_row": lambda e, h, w: np_seam(e)[-1],
    "masked": lambda x, n: x[x > f32(0.5)],
    "halves": np_halves,
    "polar": lambda x, y, n: (np.sqrt(x * x + y * y), np.arctan2(y, x)),
    "waves": lambda x, y, n: np.sin(f32(10) * x) * np.cos(f32(7) * y) + np.tan(f32(0.5) * x),
    "angles": lambda x, n: np.round(f32(100) * (np.arcsin(2 * x - 1) + np.arccos((2 * x - 1) ** 2))),
    "add_saturated": lambda a, b, n: np.where(b > 255 - a, np.uint8(255), a + b),
    "negative": lambda x, n: 255 - x,
    "threshold": lambda x, n, t: np.where(x > t, np.uint8(255), np.uint8(0)),
    "products8": lambda a, b, n: a @ b,
    "block_sums": np_block_sums,
    "nearest": lambda x, h, w: x.argmin(1).astype(np.int32),
    "counts": lambda x, n: (x.reshape(-1, 16) > f32(0.5)).sum(1, dtype=np.int32),
    "unit_rows": lambda x, h, w: x * (1 / np.sqrt(np.einsum("ij,ij->i", x, x)))[:, None],
    "gradient_clamped": np_gradient,
    "counts16": lambda x, n: np.bincount(x, minlength=65536).astype(np.int32),
    "weighted": lambda x, w, n: np.bincount(x, weights=w, minlength=256).astype(np.float32),
    "joint": lambda a, b, n: np.bincount(a.astype(np.int32) * 256 + b, minlength=65536).astype(np.int32),
    "doubling": np_doubling,
    "column_sums": lambda x, h, w: x.sum(0),
    "row_sums": lambda x, h, w: x.sum(1),
    "row_minima": lambda x, h, w: x.min(1),
    "centred": lambda x, h, w: x - x.mean(0),
    "distance": lambda a, b, n: np.abs(a - b).max(),
}


def function(row):
    """The row's function for the arguments of the manifest, or nothing."""
    if PEER == "numpy":
        return NUMPY.get(row)
    f = globals().get("nb_" + row)
    if f is None:
        return None
    many = f.py_func.__code__.co_argcount
    return lambda *arguments: f(*arguments[:many])


def load(row):
    """The row's arguments and the types and sizes of its results."""
    arguments, outputs = [], []
    for line in open(os.path.join(DIRECTORY, row + ".txt"), encoding="ascii"):
        kind, *words = line.split()
        if kind == "scalar":
            number = float(words[0])
            arguments.append(int(number) if number.is_integer() else number)
            continue
        shape = [int(n) for n in words[2:]]
        if kind == "out":
            outputs.append((TYPES[words[0]], shape))
            continue
        path = os.path.join(DIRECTORY, f"{row}.{len(arguments)}")
        arguments.append(np.fromfile(path, TYPES[words[0]]).reshape(shape))
    return arguments, outputs


def main():
    call = arguments = None
    for line in sys.stdin:
        command, *words = line.split()
        if command == "load":
            row = words[0]
            call = function(row)
            if call is None:
                print("none", flush=True)
                continue
            arguments, outputs = load(row)
            results = call(*arguments)
            results = results if isinstance(results, tuple) else (results,)
            for k, (result, (kind, _)) in enumerate(zip(results, outputs)):
                np.ascontiguousarray(result, dtype=kind).tofile(os.path.join(DIRECTORY, f"{row}.{PEER}.{k}"))
            print("ok", flush=True)
        elif command == "time":
            limit, runs, times = float(words[0]), float(words[1]), []
            begin = time.perf_counter()
            while len(times) < 1000 and (len(times) < runs or (time.perf_counter() - begin) * 1e3 < limit):
                start = time.perf_counter()
                call(*arguments)
                times.append((time.perf_counter() - start) * 1e3)
            print(*times, flush=True)
        else:
            return


main()

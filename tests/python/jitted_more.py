"""More functions for `test_jit.py`: algorithms as people write them."""

import math

import numpy as np

RANDOM = np.random.default_rng(11)


def life(world):
    n, m = world.shape
    out = np.zeros_like(world)
    for i in range(n):
        for j in range(m):
            around = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if not (di == 0 and dj == 0):
                        around += int(world[(i + di) % n, (j + dj) % m])
            if world[i, j] == 1 and (around == 2 or around == 3) or world[i, j] == 0 and around == 3:
                out[i, j] = 1
    return out


def levenshtein(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a) + 1):
        d[i, 0] = i
    for j in range(len(b) + 1):
        d[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i-1] == b[j-1] else 1
            d[i, j] = min(d[i-1, j] + 1, d[i, j-1] + 1, d[i-1, j-1] + cost)
    return d[-1, -1]


def lu(a):
    n = a.shape[0]
    u = a.copy()
    l = np.zeros((n, n))
    for i in range(n):
        l[i, i] = 1.0
    for k in range(n - 1):
        for i in range(k + 1, n):
            f = u[i, k]/u[k, k]
            l[i, k] = f
            for j in range(k, n):
                u[i, j] -= f*u[k, j]
    return l, u


def heapsort(x):
    a = x.copy()
    n = len(a)
    start = n//2 - 1
    end = n - 1
    while end > 0:
        if start >= 0:
            root = start
            start -= 1
        else:
            a[0], a[end] = a[end], a[0]
            end -= 1
            root = 0
        while True:
            child = 2*root + 1
            if child > end:
                break
            if child + 1 <= end and a[child] < a[child + 1]:
                child += 1
            if a[root] < a[child]:
                a[root], a[child] = a[child], a[root]
                root = child
            else:
                break
    return a


def quicksort(x):
    a = x.copy()
    low = np.zeros(64, dtype=np.int64)
    high = np.zeros(64, dtype=np.int64)
    top = 0
    low[0] = 0
    high[0] = len(a) - 1
    while top >= 0:
        i0 = low[top]
        j0 = high[top]
        top -= 1
        if i0 >= j0:
            continue
        pivot = a[(i0 + j0)//2]
        i = i0
        j = j0
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        top += 1
        low[top] = i0
        high[top] = j
        top += 1
        low[top] = i
        high[top] = j0
    return a


def warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, np.int64)
    for k in range(len(weights)):
        for c in range(capacity, weights[k] - 1, -1):
            best[c] = max(best[c], best[c - weights[k]] + values[k])
    return best[capacity]


def welford(x):
    n = 0
    mean = 0.0
    m2 = 0.0
    for v in x:
        n += 1
        delta = v - mean
        mean += delta/n
        m2 += delta*(v - mean)
    return mean, m2/n if n > 0 else 0.0, n


def kmeans_step(points, centres):
    sums = np.zeros_like(centres)
    counts = np.zeros(centres.shape[0])
    for i in range(points.shape[0]):
        best = 0
        least = np.inf
        for c in range(centres.shape[0]):
            d = 0.0
            for k in range(points.shape[1]):
                d += (points[i, k] - centres[c, k])**2
            if d < least:
                least = d
                best = c
        counts[best] += 1
        sums[best] += points[i]
    for c in range(centres.shape[0]):
        if counts[c] > 0:
            sums[c, :] /= counts[c]
    return sums


def nbody(p, v, dt, steps):
    n = len(p)
    for _ in range(steps):
        for i in range(n):
            ax = ay = 0.0
            for j in range(n):
                if i != j:
                    dx = p[j, 0] - p[i, 0]
                    dy = p[j, 1] - p[i, 1]
                    r = (dx*dx + dy*dy + 0.01)**1.5
                    ax += dx/r
                    ay += dy/r
            v[i, 0] += dt*ax
            v[i, 1] += dt*ay
        p += v*dt


def sobel(image):
    h, w = image.shape
    out = np.zeros((h, w), np.float32)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            gx = float(image[y-1, x+1]) + 2*float(image[y, x+1]) + float(image[y+1, x+1]) - float(image[y-1, x-1]) - 2*float(image[y, x-1]) - float(image[y+1, x-1])
            gy = float(image[y+1, x-1]) + 2*float(image[y+1, x]) + float(image[y+1, x+1]) - float(image[y-1, x-1]) - 2*float(image[y-1, x]) - float(image[y-1, x+1])
            out[y, x] = math.sqrt(gx*gx + gy*gy)
    return out


def threshold(image, limit):
    return image > limit


def masked_sum(x, mask):
    s = 0.0
    n = 0
    for i in range(len(x)):
        if mask[i]:
            s += x[i]
            n += 1
    if n == 0:
        return 0.0
    return s/n


def gray_scott(u, v, f, k):
    n, m = u.shape
    a = np.empty_like(u)
    b = np.empty_like(v)
    for i in range(n):
        for j in range(m):
            lu = u[i-1, j] + u[(i+1) % n, j] + u[i, j-1] + u[i, (j+1) % m] - 4*u[i, j]
            lv = v[i-1, j] + v[(i+1) % n, j] + v[i, j-1] + v[i, (j+1) % m] - 4*v[i, j]
            uvv = u[i, j]*v[i, j]*v[i, j]
            a[i, j] = u[i, j] + 0.16*lu - uvv + f*(1 - u[i, j])
            b[i, j] = v[i, j] + 0.08*lv + uvv - (f + k)*v[i, j]
    return a, b


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def random_numbers(n, seed):
    out = np.empty(n)
    state = seed
    for i in range(n):
        state = (state*1103515245 + 12345) % 2147483648
        out[i] = state/2147483648
    return out


def popcount(x):
    out = np.zeros(len(x), np.int32)
    for i in range(len(x)):
        v = int(x[i])
        n = 0
        while v != 0:
            v &= v - 1
            n += 1
        out[i] = n
    return out


def interpolate(xs, ys, at):
    out = np.empty(len(at))
    for k in range(len(at)):
        v = at[k]
        if v <= xs[0]:
            out[k] = ys[0]
        elif v >= xs[-1]:
            out[k] = ys[-1]
        else:
            i = 0
            while xs[i+1] < v:
                i += 1
            t = (v - xs[i])/(xs[i+1] - xs[i])
            out[k] = (1 - t)*ys[i] + t*ys[i+1]
    return out


def cube_sum(c):
    total = 0.0
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(c.shape[2]):
                total += c[i, j, k]*(i + 1) - j + k/2
    return total


def planes(c):
    out = np.zeros(c.shape[0], np.float32)
    for i in range(c.shape[0]):
        out[i] = c[i].max() - c[i, 1:, ::2].min()
    return out


def powers(x, n):
    return x**n, x**2, 2**10, (x + 0.5)**3, abs(x)**0.5, -x**2


def mixed_types(a, b):
    c = a*b
    d = a + b/2
    return c, d, a - 1, b // 3, b % 4, a > b


def assigned_slices(n):
    x = np.arange(n)
    y = np.zeros(n)
    y[:] = 3
    y[::2] += x[::2]
    y[1:4] = y[2:5]*2
    y[-3:] = -1
    z = np.full((2, n), 7, dtype=np.int16)
    z[1, :] = x
    return y, z, np.ones((2, 2), np.float32)


def while_true(x):
    i = 0
    while True:
        i += 1
        if i >= len(x) or x[i] > 1.0:
            break
    return i


def nested_returns(x, y):
    if x > 0:
        if y > 0:
            return 1
        elif y < 0:
            return 4
        return 14
    if y > 0:
        return 2
    return 3


def in_loop_return(x, v):
    for i in range(len(x)):
        if x[i] == v:
            return i
    return -1


def logical(a, b):
    return (a > 0 and b > 0) or not (a < b), a != b and a == a, not a


def cumulative(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += y[i-1]
    return y


def trapezoid(n):
    h = math.pi/n
    s = 0.5*(math.sin(0.0) + math.sin(math.pi))
    for i in range(1, n):
        s += math.sin(i*h)
    return s*h


def simpson_odd(x):
    odd = x[1::2].sum()
    even = x[::2].sum()
    return odd, even, x[3:3].sum(), x[100:].size, x[-1000:3].size


def softmax(x):
    e = np.exp(x - np.max(x))
    return e/e.sum()


def clipped(x):
    return np.minimum(np.maximum(x, -0.5), 0.5), np.sign(x), np.floor(x), np.hypot(x, 1.0)


def bubble_flags(flags):
    out = np.zeros(len(flags), np.bool_)
    for i in range(len(flags)):
        out[i] = not flags[i]
    return out, out.any(), np.sum(out)


def f4(*shape):
    return RANDOM.random(shape, np.float32)


CASES = [
    (life, (RANDOM.integers(0, 2, (9, 11)).astype(np.int8),)), (levenshtein, (np.array([1, 2, 3, 4, 2]), np.array([2, 3, 9, 2]))),
    (lu, (RANDOM.random((6, 6)) + np.eye(6)*6,)), (heapsort, (RANDOM.random(33),)), (heapsort, (RANDOM.integers(-9, 9, 20),)),
    (quicksort, (RANDOM.random(50),)), (warshall, (RANDOM.random((8, 8)),)),
    (knapsack, (np.array([3, 4, 5, 9, 4]), np.array([3, 4, 4, 10, 4]), 11)), (welford, (RANDOM.random(20),)),
    (kmeans_step, (RANDOM.random((40, 3)), RANDOM.random((4, 3)))), (nbody, (RANDOM.random((5, 2)), np.zeros((5, 2)), 0.01, 4)),
    (sobel, (RANDOM.integers(0, 256, (9, 12)).astype(np.uint8),)), (threshold, (f4(5, 6), 0.5)),
    (masked_sum, (RANDOM.random(30), RANDOM.random(30) > 0.4)), (masked_sum, (RANDOM.random(3), np.zeros(3, bool))),
    (gray_scott, (RANDOM.random((7, 9)), RANDOM.random((7, 9)), 0.04, 0.06)), (gcd, (1071, 462)), (gcd, (2**40, 6**20)),
    (random_numbers, (40, 42)), (popcount, (np.array([0, 1, 255, 2**40 - 1]),)), (popcount, (np.array([7, 255], np.uint8),)),
    (interpolate, (np.array([0.0, 1, 3, 7]), np.array([1.0, 4, 2, 8]), np.linspace(-1, 8, 23))), (cube_sum, (RANDOM.random((3, 4, 5)),)),
    (planes, (f4(4, 5, 6),)), (powers, (1.75, 3)), (powers, (3.0, 2.5)), (mixed_types, (7, 2)), (mixed_types, (2.5, -7)),
    (mixed_types, (np.float32(1.5), 3)), (assigned_slices, (9,)), (while_true, (np.array([0.0, 0.5, 2.0]),)), (while_true, (np.zeros(4),)),
    (nested_returns, (1, -1)), (nested_returns, (1.5, 0.0)), (nested_returns, (-1, 2)), (in_loop_return, (np.array([4, 5, 6]), 6)),
    (in_loop_return, (np.array([4.0, 5.0]), 6.0)), (logical, (1, 2)), (logical, (0, -2)), (logical, (2.5, 2.5)), (cumulative, (RANDOM.random(9),)),
    (cumulative, (np.arange(5),)), (trapezoid, (100,)), (simpson_odd, (RANDOM.random(11),)), (softmax, (RANDOM.random(12),)),
    (clipped, (RANDOM.standard_normal(15),)), (bubble_flags, (RANDOM.random(6) > 0.5,)),
]

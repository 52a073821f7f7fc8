import numpy as np


def pattern(u, v):
    i, j = np.mgrid[0:40, 0:48]
    return 100 + 40 * np.sin((j - u) / 5) * np.cos((i - v) / 6) + 20 * np.sin((i - v + j - u) / 9)


def windows(x, r):
    return np.lib.stride_tricks.sliding_window_view(x, (2 * r + 1, 2 * r + 1)).sum((2, 3))


r = 3
a, b = pattern(0, 0), pattern(0.6, -0.4)
both = a + b
dx = (both[1:-1, 2:] - both[1:-1, :-2]) / 4
dy = (both[2:, 1:-1] - both[:-2, 1:-1]) / 4
dt = (b - a)[1:-1, 1:-1]
xx, xy, yy, xt, yt = (windows(p, r) for p in (dx * dx, dx * dy, dy * dy, dx * dt, dy * dt))
d = xx * yy - xy * xy
u = np.where(d > 1, (xy * yt - yy * xt) / d, 0)
v = np.where(d > 1, (xy * xt - xx * yt) / d, 0)
four = lambda x: f"{np.floor(abs(x) * 1e4 + 0.5) * np.sign(x) / 1e4:g}"
show = lambda p: "[" + ", ".join(f"{np.floor(abs(k) * 1e4 + 0.5) * np.sign(k):g}" for k in p[20 - r - 1, 10 - r - 1 : 15 - r - 1]) + "]"
print("mean", four(u.mean()), four(v.mean()))
print("worst", four(abs(u - 0.6).max()), four(abs(v + 0.4).max()))
print(show(u), show(v))

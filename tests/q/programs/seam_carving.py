import numpy as np


def energy(x):
    p = np.pad(x, 1, mode="edge")
    return abs(p[1:-1, 2:] - p[1:-1, :-2]) + abs(p[2:, 1:-1] - p[:-2, 1:-1])


def cheapest(e):
    total = e.copy()
    for i in range(1, len(e)):
        p = np.pad(total[i - 1], 1, constant_values=np.inf)
        total[i] += np.minimum(np.minimum(p[:-2], p[1:-1]), p[2:])
    at = int(np.argmin(total[-1]))
    seam = [at]
    for row in total[-2::-1]:
        low = max(at - 1, 0)
        at = low + int(np.argmin(row[low : at + 2]))
        seam.append(at)
    return np.array(seam[::-1])


i, j = np.mgrid[0:24, 0:40]
x = ((i * i + 3 * j) % 17 + np.where(abs(j - 20) < 6, 40, 0) + (7 * i + 5 * j * j) % 11).astype(float)
for k in range(1, 7):
    seam = cheapest(energy(x))
    print(f"seam {k}: from {seam[0]} to {seam[-1]}, sum {seam.sum()}")
    x = np.array([np.delete(row, s) for row, s in zip(x, seam)])
print(f"[{x.shape[0]}, {x.shape[1]}] {x.sum():.0f} {x[5].sum():.0f}")

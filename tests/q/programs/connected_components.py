import numpy as np

i, j = np.mgrid[0:32, 0:48]
x = np.sin(i / 3) * np.cos(j / 4) + 0.3 * np.sin(i * j / 30) > 0.25
labels = np.zeros(x.shape, int)
count = 0
for place in np.argwhere(x):
    if labels[tuple(place)]:
        continue
    count += 1
    waiting = [tuple(place)]
    while waiting:
        r, c = waiting.pop()
        if 0 <= r < 32 and 0 <= c < 48 and x[r, c] and not labels[r, c]:
            labels[r, c] = count
            waiting += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
print(f"{count} components, {x.sum()} pixels")
for k in range(1, count + 1):
    mine = np.argwhere(labels == k)
    up = np.floor(10 * mine.sum(0) / len(mine) + 0.5)
    print(f"{k}: {len(mine)} pixels around {up[0]:g}, {up[1]:g}")

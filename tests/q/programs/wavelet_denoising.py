import numpy as np

r = np.sqrt(3)
h = np.array([1 + r, 3 + r, 3 - r, 1 - r]) / (4 * np.sqrt(2))
g = np.array([h[3], -h[2], h[1], -h[0]])
places = lambda n: (2 * np.arange(n // 2)[:, None] + np.arange(4)) % n
half_up = lambda x: np.floor(np.abs(x) + 0.5) * np.sign(x) + 0.0


def join(a, d):
    x = np.zeros(2 * len(a))
    np.add.at(x, places(len(x)), a[:, None] * h + d[:, None] * g)
    return x


i = np.arange(256)
clean = np.where(i < 80, 1.0, np.where(i < 170, 3.0, 0.5)) + 0.5 * np.sin(i / 20)
noise, state = [], 12345
for _ in i:
    state = (state * 169 + 7) % 29282
    noise.append(0.6 * (state / 29282 - 0.5))
noisy = clean + noise
rough, fine = noisy, []
for _ in range(4):
    parts = rough[places(len(rough))]
    rough, d = parts @ h, parts @ g
    fine.append(d)
t = np.median(abs(fine[0])) / 0.6745 * np.sqrt(2 * np.log(256))
fine = [np.sign(d) * np.maximum(abs(d) - t, 0) for d in fine]
x = rough
for d in fine[::-1]:
    x = join(x, d)
rms = lambda e: half_up(np.sqrt(np.mean(e**2)) * 1e5) / 1e5
show = lambda v: "[" + ", ".join(f"{k:g}" for k in half_up(v * 1000)) + "]"
print(f"noise {rms(noisy - clean):g}, left {rms(x - clean):g}")
print(f"threshold {half_up(t * 1e5) / 1e5:g}, {sum(int((d != 0).sum()) for d in fine)} coefficients kept")
print(show(x[:8]), show(x[78:84]))

"""Names for parts of arrays within loops: they stand for the parts, whatever happens to the arrays and the indices."""

import numpy as np

import quadra

RANDOM = np.random.default_rng(50)


def adapted(x, d, taps, mu):
    w = np.zeros(taps)
    e = np.zeros(len(x))
    for n in range(taps - 1, len(x)):
        part = x[n - taps + 1:n + 1][::-1]
        e[n] = d[n] - w @ part
        w += mu*e[n]*part
    return w, e


def windows(x, k):
    out = np.zeros((len(x) - k + 1, 4))
    for i in range(len(x) - k + 1):
        part = x[i:i + k]
        i = 2*i
        out[i//2] = part.min(), part[-1] - part[0], part[::2].sum(), len(part)
    return out


def blocks(m, k):
    out = np.zeros((m.shape[0]//k, m.shape[1]//k))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            block = m[k*i:k*i + k, k*j:k*j + k]
            out[i, j] = block.max() + block[0, -1] + block.T[0, 1]
            block[0, 0] = -1.0
    return out, m


def ends_change(x):
    a, b = 0, 3
    s = 0.0
    while b <= len(x):
        part = x[a:b]
        a += 1
        b += 2
        s += part.sum()*len(part) + part[0]
    return s


def array_changes(x, n):
    y = x*2.0
    s = 0.0
    for k in range(n):
        part = y[k:]
        y = y + 1.0
        s += part[0] + part.sum()
    return s, y


def element_changes(x):
    s = 0.0
    for k in range(len(x) - 2):
        part = x[k:k + 2]
        x[k + 1] = 10.0*k
        s += part[1]
    return s


@quadra.jit
def summed(v):
    s = 0.0
    for q in v:
        s += q
    return s


def handed_on(x, k):
    s = 0.0
    found = [0.0]
    for i in range(0, len(x) - k, k):
        part = x[i:i + k]
        s += summed(part)
        found.append(part[1])
    return s, found


def given_back(x, limit):
    for i in range(len(x)):
        part = x[i:i + 3]
        if part.sum() > limit:
            return part
    return x[:1]


def swapped(x, n):
    y = x + 1.0
    s = 0.0
    for _ in range(n):
        first = y[1:3]
        x, y = y, x
        s = 0.5*s + first[0] - first[1]
    return s


def beyond_part(x, k):
    s = 0.0
    for i in range(len(x) - 3):
        part = x[i:i + 3]
        s += part[k]
    return s


CASES = [
    (adapted, (RANDOM.random(300), RANDOM.random(300), 8, 0.05)), (adapted, (RANDOM.random(4), RANDOM.random(4), 4, 0.5)), (windows, (RANDOM.random(40), 5)),
    (windows, (RANDOM.random(3), 3)), (blocks, (RANDOM.random((9, 12)), 3)), (blocks, (RANDOM.random((4, 5)), 2)), (ends_change, (RANDOM.random(50),)),
    (ends_change, (RANDOM.random(2),)), (array_changes, (RANDOM.random(8), 5)), (element_changes, (RANDOM.random(9),)), (handed_on, (RANDOM.random(60), 4)),
    (given_back, (RANDOM.random(40), 2.2)), (given_back, (RANDOM.random(40), 20.0)), (swapped, (RANDOM.random(5), 7)), (beyond_part, (RANDOM.random(20), 2)),
    (beyond_part, (RANDOM.random(20), -3)), (beyond_part, (RANDOM.random(20), 3)), (beyond_part, (RANDOM.random(20), -4)),
]

"""Functions for `test_jit.py` whose loops hand arrays on from one iteration to the next, or end early."""

import numpy as np

RANDOM = np.random.default_rng(31)


def jacobi(a, b, most):
    x = np.zeros(len(b))
    it = 0
    for it in range(most):
        new = x.copy()
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s -= a[i, j]*x[j]
            new[i] = s/a[i, i]
        change = np.max(np.abs(new - x))
        x = new
        if change < 1e-12:
            break
    return x, it


def momentum(x, y, n):
    w = np.zeros(x.shape[1])
    v = np.zeros(x.shape[1])
    for _ in range(n):
        g = np.zeros(x.shape[1])
        for i in range(x.shape[0]):
            e = -y[i]
            for k in range(x.shape[1]):
                e += x[i, k]*w[k]
            for k in range(x.shape[1]):
                g[k] += e*x[i, k]
        v = 0.5*v - 0.01*g
        w = w + v
    return w, v


def filtered(f, q, z):
    x = np.zeros(2)
    p = np.eye(2)
    out = np.zeros(len(z))
    for t in range(len(z)):
        x = f @ x
        p = f @ p @ f.T + q
        gain = p[:, 0]/(p[0, 0] + 0.1)
        x = x + gain*(z[t] - x[0])
        p = p - np.outer(gain, p[0])
        out[t] = x[0]
    return out, p


def exchanged(n, steps):
    u = np.zeros(n)
    u[n//2] = 1.0
    v = u.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            v[i] = u[i] + 0.25*(u[i-1] - 2*u[i] + u[i+1])
        u, v = v, u
    return u, v


def made_and_exchanged(n, steps):
    u = np.zeros((n, n + 1))
    u[0, :] = 1.0
    for _ in range(steps):
        v = u.copy()
        for i in range(1, n - 1):
            for j in range(1, n):
                v[i, j] = 0.25*(u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1])
        u, v = v, u
    return u


def ranks(m, most):
    k = m.shape[0]
    r = np.ones(k)/k
    for it in range(most):
        new = np.full(k, 0.15/k)
        for i in range(k):
            d = m[i].sum()
            if d > 0:
                for j in range(k):
                    new[j] += 0.85*r[i]*m[i, j]/d
        if np.abs(new - r).sum() < 1e-9:
            r = new
            break
        r = new
    return r


def kept_and_handed_on(n):
    v = np.zeros(3)
    seen = np.zeros(n)
    for t in range(n):
        new = np.zeros(3)
        new[1] = t
        v = new
        v[2] = v[1] + 1
        if t % 3 == 0:
            v = np.ones(3)
        seen[t] = v.sum()
    return seen, v


def rule(cells, n):
    for _ in range(n):
        new = np.zeros_like(cells)
        for i in range(len(cells)):
            k = 4*cells[i-1] + 2*cells[i] + cells[(i+1) % len(cells)]
            if k in (1, 2, 3, 5, 6):
                new[i] = 1
            if k not in [1, 2, 3, 5, 6, 7]:
                new[i] += 0
        cells = new
    return cells


CASES = [
    (jacobi, (RANDOM.random((9, 9)) + 9*np.eye(9), RANDOM.random(9), 200)), (jacobi, (np.eye(4), np.ones(4), 0)),
    (jacobi, (np.eye(4), np.ones(4), 1)), (momentum, (RANDOM.random((20, 5)), RANDOM.random(20), 150)),
    (filtered, (np.array([[1.0, 0.1], [0.0, 1.0]]), np.eye(2)*0.01, RANDOM.random(200))), (exchanged, (30, 101)), (exchanged, (30, 0)),
    (made_and_exchanged, (12, 40)), (ranks, ((RANDOM.random((20, 20)) < 0.2).astype(np.float64), 300)), (kept_and_handed_on, (500,)),
    (rule, (RANDOM.integers(0, 2, 60), 100)),
]

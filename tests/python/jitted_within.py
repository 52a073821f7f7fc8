"""Functions that `quadra.jit` compiles: functions within functions, lambdas, lists, and arrays from outside."""

import math

import numpy as np

RANDOM = np.random.default_rng(31)
WEIGHTS = np.array([0.25, 0.5, 0.25])
STEPS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
SCALE = 7


def closed_over(x):
    scale = 2.0

    def f(v, shift=1.0):
        return v*scale + shift

    y = np.empty_like(x)
    for i in range(len(x)):
        scale += 1.0
        y[i] = f(x[i]) + f(x[i], shift=0.5)
    return y


def simpson(a, b, n):
    def f(x):
        return math.sin(x)/x

    h = (b - a)/n
    s = f(a) + f(b)
    for i in range(1, n):
        s += (4 if i % 2 else 2)*f(a + i*h)
    return s*h/3


def one_calls_another(n):
    base = 10

    def f(x):
        return x + base

    def g(x):
        return f(x)*2

    t = 0
    for _ in range(n):
        base += 1
        t += g(base)
    return t


def writes(a):
    a = a.copy()

    def put(k, v):
        a[k, k] = v

    for k in range(len(a)):
        put(k, float(k))
    return a


def lambdas(x):
    h = 0.1
    f = lambda v: math.exp(-v)
    slope = lambda v: (f(v + h) - f(v - h))/(2*h)
    both = lambda a, b: a*b + SCALE
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = slope(x[i])
    return y, both(2, 3), np.array([f(v) for v in x])


def even(x):
    out = []
    for v in x:
        if v % 2 == 0:
            out.append(v)
    return np.array(out)


def fibonacci(n):
    a = [0, 1]
    for _ in range(n):
        a.append(a[-1] + a[-2])
    return a[n], len(a)


def primes(n):
    p = [2]
    k = 3
    while len(p) < n:
        prime = True
        for q in p:
            if q*q > k:
                break
            if k % q == 0:
                prime = False
                break
        if prime:
            p.append(k)
        k += 2
    return p


def flooded(a):
    seen = np.zeros(a.shape, np.bool_)
    todo = [(0, 0)]
    n = 0
    while todo:
        i, j = todo.pop()
        if i < 0 or j < 0 or i >= a.shape[0] or j >= a.shape[1] or seen[i, j] or a[i, j] > 0.8:
            continue
        seen[i, j] = True
        n += 1
        for k in range(4):
            todo.append((i + STEPS[k, 0], j + STEPS[k, 1]))
    return n, seen


def repeated(n):
    b = [0.0]*n
    for i in range(4*n):
        b[i % n] += i*0.5
    b[-1] = 3.0
    return b


def two_lists(x):
    odd, even_ = [], []
    for v in x:
        if v % 2:
            odd.append(v*1.0)
        else:
            even_.append(v*2.0)
    return np.array(odd), np.array(even_), len(odd)


def cleared(n):
    s = [1]
    for i in range(n):
        s.clear()
        s.append(i)
        s += [i + 1, i + 2]
    t = 0
    for i, v in enumerate(s):
        t += i*v
    return s, t, not s


def never_filled(n):
    r = []
    for i in range(n):
        if i > 100:
            r.append(1.5)
    return len(r)


def squared(x):
    rows = [v*v for v in x]
    return rows, [v + 1 for v in x]


def popped_all(n):
    s = []
    for i in range(n):
        s.append(i)
    t = 0
    while len(s) > 0:
        t = t*3 % 1000 + s.pop()
    return t


def popped_too_often(n):
    s = [1.5]
    t = 0.0
    for _ in range(n):
        t += s.pop()
    return t


def beyond(n):
    s = [1, 2, 3]
    return s[n]


def weighted(x):
    y = x.copy()
    for i in range(1, x.size - 1):
        s = 0.0
        for k in range(3):
            s += WEIGHTS[k]*x[i + k - 1]
        y[i] = s
    return y, (x[:3]*WEIGHTS).sum()


CASES = [
    (closed_over, (RANDOM.random(6),)), (simpson, (1.0, 3.0, 100)), (one_calls_another, (5,)), (writes, (RANDOM.random((4, 4)),)),
    (lambdas, (RANDOM.random(5),)), (even, (RANDOM.integers(0, 100, 50),)), (fibonacci, (1,)), (fibonacci, (40,)),
    (primes, (1,)), (primes, (30,)), (flooded, (RANDOM.random((9, 7)),)), (flooded, (np.ones((2, 2)),)), (repeated, (3,)), (repeated, (20,)),
    (two_lists, (RANDOM.integers(0, 9, 20),)), (cleared, (3,)), (never_filled, (5,)), (never_filled, (200,)), (squared, (RANDOM.random(5),)),
    (popped_all, (0,)), (popped_all, (25,)), (popped_too_often, (1,)), (popped_too_often, (2,)), (beyond, (2,)), (beyond, (-3,)), (beyond, (3,)), (beyond, (-4,)),
    (weighted, (RANDOM.random(9),)),
]

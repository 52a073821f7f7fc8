"""Functions for `test_jit.py` that call themselves."""

import numpy as np

RANDOM = np.random.default_rng(41)


def fibonacci(n):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


def factorial(n):
    def of(k):
        # It calls itself before it returns what it begins with.
        if k > 1:
            return k*of(k - 1)
        return 1

    return of(n)


def power(x, n):
    def raised(a, k):
        if k == 0:
            return 1.0
        half = raised(a, k//2)
        return half*half*a if k % 2 else half*half

    def halved(k):
        if k > 1.0:
            return halved(0.5*k)
        return k

    return raised(x, n), halved(x + 10.0)


def moves(n):
    def move(counts, k, a, b, c):
        if k == 0:
            return
        move(counts, k - 1, a, c, b)
        counts[a, b] += 1
        move(counts, k - 1, c, b, a)

    counts = np.zeros((3, 3), dtype=np.int64)
    move(counts, n, 0, 2, 1)
    return counts


def simpson(a, b):
    def f(x):
        return np.sqrt(x)

    def part(lo, hi):
        return (hi - lo)/6*(f(lo) + 4*f(0.5*(lo + hi)) + f(hi))

    def adapted(lo, hi, whole, depth):
        middle = 0.5*(lo + hi)
        left, right = part(lo, middle), part(middle, hi)
        if depth == 0 or abs(left + right - whole) < 1e-9:
            return left + right
        return adapted(lo, middle, left, depth - 1) + adapted(middle, hi, right, depth - 1)

    return adapted(a, b, part(a, b), 12)


def sorted_in_place(x):
    def sort(y, lo, hi):
        if lo >= hi:
            return
        pivot = y[(lo + hi)//2]
        i, j = lo, hi
        while i <= j:
            while y[i] < pivot:
                i += 1
            while y[j] > pivot:
                j -= 1
            if i <= j:
                y[i], y[j] = y[j], y[i]
                i += 1
                j -= 1
        sort(y, lo, j)
        sort(y, i, hi)

    z = x.copy()
    sort(z, 0, len(z) - 1)
    return z


def ackermann(m, n):
    def of(a, b):
        if a == 0:
            return b + 1
        if b == 0:
            return of(a - 1, 1)
        return of(a - 1, of(a, b - 1))

    return of(m, n)


def pairs(n):
    def divided(a, b):
        if a < b:
            return 0, a
        q, r = divided(a - b, b)
        return q + 1, r

    return divided(n, 7)


def without_end(n):
    def more(k):
        if k < 0:
            return 0
        return more(k + 1) + 1

    return more(n)


CASES = [
    (fibonacci, (15,)), (moves, (6,)), (factorial, (12,)), (factorial, (0,)), (power, (1.5, 13)), (simpson, (0.1, 2.0)), (sorted_in_place, (RANDOM.random(60),)),
    (sorted_in_place, (RANDOM.integers(0, 9, 40),)), (sorted_in_place, (np.zeros(0),)), (ackermann, (2, 3)), (pairs, (40,)), (pairs, (3,)),
]

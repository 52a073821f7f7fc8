"""`return` within loops: of one loop and of several, with values and without, in functions and in those that they call."""

import numpy as np

import quadra

RANDOM = np.random.default_rng(51)


def is_prime(n):
    if n < 2:
        return False
    k = 2
    while k*k <= n:
        if n % k == 0:
            return False
        k += 1
    return True


prime = quadra.jit(is_prime)


def primes(n):
    out = np.zeros(n, np.bool_)
    for k in range(n):
        out[k] = prime(k)
    return out


def first_pair(x, limit):
    for i in range(len(x)):
        for j in range(i):
            if x[i] + x[j] > limit:
                return i, j, x[i] + x[j]
        if x[i] < 0:
            return -1, i, 0.0
    return -1, -1, 0.0


def endless(x):
    k = 0
    while True:
        x = x//2 if x % 2 == 0 else 3*x + 1
        k += 1
        if x == 1:
            return k


def marked(x, v):
    for k in range(len(x)):
        if x[k] == v:
            x[k] = -1
            return
        x[k] += 1


def behind_it(x, v):
    s = 0
    for k in range(len(x)):
        if x[k] > v:
            return s
        s += k
    for k in range(len(x)):
        s += 2
        if s > 500:
            return -s
    s *= 10
    return s


def in_a_case(x, up):
    if up:
        for k in range(len(x)):
            if x[k] > 0.75:
                return k
        n = 100
    else:
        n = 200
        for k in range(len(x)):
            if x[k] < 0.25:
                return -k
    return n + len(x)


def within_else(x, v):
    k = 0
    for k in range(len(x)):
        if x[k] == v:
            break
        if x[k] < 0:
            return -1.5
    else:
        return 2.5
    return float(k)


def found_so_far(x, limit):
    seen = []
    for v in x:
        seen.append(v)
        if len(seen) > 3 and v > limit:
            return len(seen), v
    return len(seen), -1.0


def an_array(x, limit):
    for k in range(len(x)):
        if x[k] > limit:
            return x[:k]
    return x


def complex_root(z, n):
    for k in range(n):
        z = z - (z*z*z - 1)/(3*z*z)
        if abs(z*z*z - 1) < 1e-9:
            return z, k
    return z, n


def three_deep(n):
    for a in range(1, n):
        for b in range(a, n):
            for c in range(b, n):
                if a*a + b*b == c*c and a + b + c == n:
                    return a*b*c
    return 0


def calls(x):
    total = 0
    for v in x:
        if prime(int(v)) and v > 30:
            return total
        total += int(v)
    return total


CASES = [
    (is_prime, (1,)), (is_prime, (97,)), (is_prime, (7919*7907,)), (is_prime, (1000003,)), (primes, (60,)), (first_pair, (RANDOM.random(900), 1.999)),
    (first_pair, (RANDOM.random(90), 5.0)), (first_pair, (np.array([0.5, -1.0, 3.0]), 9.0)), (endless, (27,)), (endless, (2,)), (marked, (np.arange(9), 4)),
    (marked, (np.arange(9), 40)), (behind_it, (np.arange(30), 12)), (behind_it, (np.arange(30), 90)), (behind_it, (np.arange(3), 90)), (in_a_case, (RANDOM.random(50), True)),
    (in_a_case, (RANDOM.random(50), False)), (in_a_case, (np.full(5, 0.5), True)), (in_a_case, (np.full(5, 0.5), False)), (within_else, (np.arange(7.0), 3.0)),
    (within_else, (np.arange(7.0), 9.0)), (within_else, (-np.arange(7.0), 9.0)), (found_so_far, (RANDOM.random(700), 0.995)), (found_so_far, (np.zeros(300), 1.0)),
    (an_array, (RANDOM.random(40), 0.9)), (an_array, (np.zeros(4), 0.9)), (complex_root, (1.5 + 1.0j, 50)), (complex_root, (1.5 + 1.0j, 2)), (three_deep, (60,)), (three_deep, (13,)),
    (calls, (RANDOM.integers(0, 40, 300),)), (calls, (np.zeros(4, np.int64),)),
]

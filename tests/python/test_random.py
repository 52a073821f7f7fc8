"""Random numbers in jitted functions: seeds, ranges, moments, one generator for all functions of a thread."""

import random
import threading

import numpy as np
import pytest

import quadra


def drawn(n):
    return np.random.random(n), np.random.normal(1.0, 2.0, n), np.random.randint(-2, 4, n), np.random.exponential(0.5, size=n)


def walk(seed, n):
    np.random.seed(seed)
    x = np.zeros(n)
    for i in range(1, n):
        x[i] = x[i - 1] + (1.0 if random.random() < 0.5 else -1.0)
    return x


@quadra.jit
def step(scale):
    return scale*random.gauss(0.0, 1.0)


def in_turn(n):
    np.random.seed(5)
    found = np.zeros(2*n)
    for i in range(n):
        found[2*i] = random.random()
        found[2*i + 1] = step(3.0)
    return found


def early(n):
    if n < 3:
        return 0.5
    return random.uniform(2.0, 3.0)


def shuffled(n):
    a = np.arange(n)
    np.random.shuffle(a)
    return a, np.random.rand(2, 3), np.random.randn(), random.randint(3, 3)


def empty_range():
    return random.randint(3, 2)


def of_a_text():
    return np.random.random(dtype=np.float32)


def test_moments_and_ranges():
    n = 100_000
    u, g, k, e = quadra.jit(drawn)(n)
    assert u.min() >= 0.0 and u.max() < 1.0 and abs(u.mean() - 0.5) < 0.01 and abs(u.var() - 1/12) < 0.01
    assert abs(g.mean() - 1.0) < 0.05 and abs(g.std() - 2.0) < 0.05
    assert k.dtype == np.int64 and np.array_equal(np.unique(k), np.arange(-2, 4)) and np.bincount(k + 2).min() > n/6*0.95
    assert abs(e.mean() - 0.5) < 0.02 and e.min() >= 0.0
    # Numbers that follow each other have nothing to do with each other, nor have their last digits.
    assert abs(np.corrcoef(u[:-1], u[1:])[0, 1]) < 0.02
    last = np.floor(u*2**40) % 16
    assert np.bincount(last.astype(int), minlength=16).min() > n/16*0.9


def test_seeds_and_other_functions():
    f = quadra.jit(walk)
    assert np.array_equal(f(7, 500), f(7, 500)) and not np.array_equal(f(7, 500), f(8, 500))
    g = quadra.jit(in_turn)
    a = g(200)
    assert np.array_equal(a, g(200)) and len(np.unique(a)) == 400
    # Without a seed the next call goes on.
    h = quadra.jit(early)
    assert h(1) == 0.5 and 2.0 <= h(5) < 3.0 and h(5) != h(5)


def test_order_shape_and_threads():
    f = quadra.jit(shuffled)
    a, b, c, three = f(50)
    assert sorted(a.tolist()) == list(range(50)) and a.tolist() != list(range(50))
    assert b.shape == (2, 3) and type(c) is float and three == 3
    found = []
    threads = [threading.Thread(target=lambda: found.append(f(50)[0].tolist())) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({tuple(x) for x in found}) == 4


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="low >= high"):
        quadra.jit(empty_range)()
    with pytest.raises(TypeError, match="not in the subset"):
        quadra.jit(of_a_text)()

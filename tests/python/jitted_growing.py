"""Lists that loops append to, with every way of leaving an iteration: what is appended before a list becomes longer, and behind, is the same."""

import numpy as np

RANDOM = np.random.default_rng(49)


def two_lists(x, n):
    a, b = [], []
    for k in range(n):
        a.append(x)
        if k % 3 == 0:
            b.append(k)
        x = x*0.5 + 1.0
    return np.array(a), b, x


def with_break(n, stop):
    out = []
    for k in range(n):
        if k == stop:
            break
        out.append(2*k)
    else:
        out.append(-1)
    return out


def with_continue(n):
    out = []
    k = 0
    while k < n:
        k += 1
        if k % 4 == 0:
            continue
        out.append(k)
        if k % 5 == 0:
            out.append(-k)
    else:
        out.append(0)
    return out, k


def own_variable(n):
    out, k = [], -1
    for k in range(3, n, 2):
        k *= 10
        out.append(k)
        k += 1
    return out, k


def downward(n, step):
    out = []
    for k in range(n, 0, step):
        out.append((k, k*k))
    n = 0
    return out, n


def pairs(n):
    out = []
    for i in range(n):
        for j in range(i + 1, n):
            if (i*j) % 3 == 1:
                out.append((i, j))
    return out


def crossed(n, m):
    out = []
    for i in range(n):
        for j in range(m):
            for k in range(j):
                if (i + j + k) % 7 == 0:
                    out.append(100*i + 10*j + k)
        if len(out) > 300:
            break
    return out, len(out)


def changing_bound(n):
    out = []
    m = 1
    for i in range(n):
        m += i % 3
        for j in range(m):
            out.append(i*m + j)
    return out


def neighbours(n, y, x):
    seen = np.zeros((n, n), np.int64)
    queue = [(y, x, 0)]
    head = 0
    while head < len(queue):
        y, x, d = queue[head]
        head += 1
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            v, u = y + dy, x + dx
            if 0 <= v < n and 0 <= u < n and seen[v, u] == 0:
                seen[v, u] = d + 1
                queue.append((v, u, d + 1))
    return seen, len(queue)


def levels(edges, n):
    depth = np.full(n, -1)
    depth[0] = 0
    front = np.zeros(1, np.int64)
    level = 0
    while len(front) > 0:
        found = []
        level += 1
        for v in front:
            for w in range(n):
                if edges[v, w] and depth[w] < 0:
                    depth[w] = level
                    found.append(w)
        front = np.array(found, dtype=np.int64)
    return depth, level


def emptied(n):
    total = 0
    part = [0]
    for i in range(n):
        if i % 7 == 0:
            part = []
        for j in range(i % 50):
            part.append(i + j)
        total += sum(part) + len(part)
        if i % 31 == 0:
            part.clear()
    return total, part


def within(n):
    longest = 0
    for i in range(n):
        chain = []
        v = i + 1
        while v != 1:
            chain.append(v)
            v = v//2 if v % 2 == 0 else 3*v + 1
        longest = max(longest, len(chain))
    return longest


def runs(x):
    values, counts = [], []
    count = 1
    for k in range(1, len(x) + 1):
        if k < len(x) and x[k] == x[k - 1]:
            count += 1
        else:
            values.append(x[k - 1])
            counts.append(count)
            count = 1
    return np.array(values), counts


def from_lists(n):
    first = []
    for k in range(n):
        first.append(k*k)
    second = []
    for v in first:
        second += [v, v + 1, v + 2]
    for v in second:
        if v % 2 == 0:
            first.append(v)
    return first, second


def returns_within(x, limit):
    out = []
    for k in range(len(x)):
        out.append(x[k])
        if x[k] > limit:
            return out
    return out


def filtered(x):
    big = [(k, v) for k, v in enumerate(x) if v > 0.5]
    return [k for k, _ in big], sum(v for _, v in big), [a + b for a in range(20) for b in range(a) if (a*b) % 3 == 2]


def stack_and_text(n):
    stack, out = [n], []
    while stack:
        v = stack.pop()
        if v < 2:
            out.append(v)
            continue
        stack.append(v - 1)
        stack.append(v - 2)
        if len(out) > 2000:
            break
    return len(out), sum(out), len(stack)


def subsequence(x):
    ends = []
    for v in x:
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high)//2
            if ends[middle] < v:
                low = middle + 1
            else:
                high = middle
        if low == len(ends):
            ends.append(v)
        else:
            ends[low] = v
    return len(ends), ends


def exchanged(n):
    a = list(range(n))
    c = [0]*n + [1, 2]
    d = list(range(3)) + [5]
    e = list()
    for k in range(n):
        a[k], a[(3*k) % n] = a[(3*k) % n], a[k]
        c[k] += a[k]
        e.append(c[k] + d[k % 4])
    return a, c, d, e


def last_of(x):
    for k in range(20):
        x = 0.5*(x + 2.0/x)
        if abs(x*x - 2.0) < 1e-12:
            break
    return x, k


MAZE = (RANDOM.random((40, 40)) < 0.06).astype(np.int64)
CASES = [
    (two_lists, (1.0, 1000)), (two_lists, (1.0, 0)), (two_lists, (1.0, 7)), (with_break, (900, 700)), (with_break, (900, 5000)), (with_break, (9, 0)), (with_break, (0, 0)),
    (with_continue, (3000,)), (with_continue, (0,)), (own_variable, (2500,)), (downward, (3000, -1)), (downward, (3000, -7)), (downward, (-1, -1)),
    (pairs, (70,)), (pairs, (0,)), (crossed, (60, 12)), (crossed, (5, 5)), (changing_bound, (60,)), (neighbours, (25, 3, 20)), (neighbours, (1, 0, 0)),
    (levels, (MAZE, 40)), (emptied, (400,)), (emptied, (3,)), (within, (300,)), (runs, (np.repeat(RANDOM.integers(0, 9, 900), RANDOM.integers(1, 4, 900)),)),
    (runs, (np.array([2.5]),)), (from_lists, (700,)), (from_lists, (0,)), (returns_within, (RANDOM.random(2000), 0.999)), (returns_within, (np.zeros(400), 1.0)),
    (subsequence, (RANDOM.integers(0, 999, 800),)), (subsequence, (np.zeros(0, np.int64),)), (exchanged, (40,)), (exchanged, (1,)), (last_of, (1.0,)), (last_of, (1e9,)),
    (filtered, (RANDOM.random(3000),)), (stack_and_text, (13,)), (stack_and_text, (25,)),
]

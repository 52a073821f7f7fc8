"""Functions at the edges of the subset, for `test_jit.py`: aliases, borders, types, order."""

import math

import numpy as np

RANDOM = np.random.default_rng(2)


def alias(a):
    b = a
    for i in range(len(a) - 1):
        b[i] = a[i+1] + 1.0
    return b


def alias2(a, n):
    b = a.copy()
    c = b
    if n > 0:
        c = a
    for i in range(1, len(a)):
        c[i] = b[i-1] + a[i]
    return a, b, c


def loopvar(n):
    s = 0
    for i in range(n):
        n = n - 1
        s += i*n
    return s, n


def samevar(n):
    s = 0
    for i in range(n):
        for i in range(3):
            s += i
        s += 10*i
    return s


def overlap(x):
    x[1:] = x[:-1]
    x[:-2] += x[2:]
    return x


def wh(x):
    i = 0
    s = 0.0
    while i < len(x) and math.sqrt(x[i]) < 2.0:
        s += x[i]
        i += 1
    return s, i


def chain(a, b, c, d):
    return a < b <= c < d, a == b == c, a < b > c


def shadow(sum, max):
    for numel in range(3):
        sum += max*numel
    return sum


def neg(x, k):
    return x[k], x[-1], x[len(x) - 1], x[k - 1]


def put(x, i, v):
    x[i] = v
    x[i] += 1
    return x


def f32(x):
    s = 0.0
    for v in x:
        s += v*v
    return s, s*2, s/3, math.sqrt(s), np.sqrt(s)


def boolsum(x):
    n = 0
    for i in range(len(x)):
        n += x[i] > 0.5
    return n


def intdiv(a, b):
    return a // b, a % b, a / b, -a // b, (-a) % b, a**2 % 7


def trunc(x):
    return int(x), int(-x), math.floor(x), math.ceil(x), math.floor(-x)


def store_ints(x):
    y = np.zeros(4, np.int32)
    for i in range(4):
        y[i] = x[i]*1.9
    return y


def mixed(x, i):
    return x[i]//2, x[i] % 3, x[i]*2, x[i] << 1, x[i] & 3, -x[i], abs(x[i]), ~x[i]


def swap2d(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j], a[j, i] = a[j, i], a[i, j]
    return a


def scan(x):
    for i in range(1, len(x)):
        x[i] = x[i] + x[i-1]
    return x


def gather(x, idx):
    y = np.empty(len(idx))
    for i in range(len(idx)):
        y[i] = x[idx[i]]
    return y


def scatter(x, idx):
    y = np.zeros(len(x))
    for i in range(len(idx)):
        y[idx[i]] = x[i]
    return y


def scatter_add(idx, n):
    y = np.zeros(n)
    for i in range(len(idx)):
        y[idx[i]] += 1.5
    return y


def nan(x):
    return max(x, 1.0), min(x, 1.0), max(1.0, x), np.maximum(x, 1.0), x != x, x < 1, not x


def bigint(n):
    s = 1
    for i in range(n):
        s = s*3
    return s


def where_(x):
    return np.where(x > 0, x, -1.0), np.where(x > 0, 1, 0)


def early(n):
    s = 0
    for i in range(n):
        if i == 3:
            continue
        for j in range(n):
            if j > i:
                break
            s += j
        else_ = 1
    return s


def dtype_of(x):
    y = np.zeros(len(x), dtype=x.dtype)
    y[0] = x[0]*2
    return y


def vec(x):
    return x > 0, ~(x > 0), (x > 0) & (x < 1), -x, x**2, x//1.0


def minmax3(a, b, c):
    return min(a, b, c), max(a, b, c), abs(a - b)


CASES = [
    (alias,(RANDOM.random(5),)),
    (alias2,(RANDOM.random(5),1)),
    (alias2,(RANDOM.random(5),0)),
    (loopvar,(5,)),
    (samevar,(4,)),
    (overlap,(RANDOM.random(6),)),
    (wh,(np.array([1.,2,3,9,1]),)),
    (wh,(np.array([1.,2,3]),)),
    (chain,(1,2,2,3)),
    (chain,(1.,2,3,3)),
    (shadow,(1,2)),
    (neg,(np.arange(5.),0)),
    (neg,(np.arange(5.),-2)),
    (put,(np.zeros(4,np.int16),-1,7)),
    (put,(np.zeros(4,np.uint8),2,255)),
    (f32,(RANDOM.random(9).astype('f4'),)),
    (f32,(RANDOM.random(9),)),
    (boolsum,(RANDOM.random(9),)),
    (intdiv,(7,3)),
    (intdiv,(-7,3)),
    (intdiv,(7,-3)),
    (intdiv,(np.int32(7),np.int32(-3))),
    (intdiv,(np.int64(-8),np.int64(3))),
    (trunc,(2.7,)),
    (trunc,(-2.7,)),
    (store_ints,(np.array([1.,-1,3,100]),)),
    (mixed,(np.array([5,-7,100],np.int8),1)),
    (mixed,(np.array([5,-7,100],np.int8),2)),
    (mixed,(np.array([5,200],np.uint8),1)),
    (swap2d,(RANDOM.random((4,4)),)),
    (scan,(np.arange(6),)),
    (gather,(RANDOM.random(5),np.array([0,-1,4,-5]))),
    (gather,(RANDOM.random(5),np.array([0,7]))),
    (scatter,(RANDOM.random(5),np.array([0,-1,1,0]))),
    (scatter_add,(np.array([0,-1,2,2]),4)),
    (nan,(math.nan,)),
    (nan,(2.0,)),
    (bigint,(39,)),
    (where_,(RANDOM.standard_normal(5),)),
    (early,(6,)),
    (dtype_of,(np.array([3,4],np.int16),)),
    (dtype_of,(np.array([3.5]),)),
    (vec,(RANDOM.standard_normal(6),)),
    (minmax3,(3,1,2)),
    (minmax3,(3.5,1.25,2.0)),
]

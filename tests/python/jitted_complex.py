"""Functions of complex numbers in Numba's style, for `test_jit.py`."""

import cmath
import math

import numpy as np

RANDOM = np.random.default_rng(23)


def mandelbrot(width, height, most):
    out = np.zeros((height, width), np.int64)
    for y in range(height):
        for x in range(width):
            c = complex(-2.0 + 3.0*x/width, -1.5 + 3.0*y/height)
            z = 0j
            n = 0
            while n < most and abs(z) <= 2.0:
                z = z*z + c
                n += 1
            out[y, x] = n
    return out


def julia(points, c):
    out = np.empty(points.shape, np.int32)
    for i in range(points.shape[0]):
        for j in range(points.shape[1]):
            z = points[i, j]
            n = 0
            while z.real*z.real + z.imag*z.imag < 4.0 and n < 50:
                z = z**2 + c
                n += 1
            out[i, j] = n
    return out


def dft(x):
    n = len(x)
    out = np.zeros(n, dtype=np.complex128)
    for k in range(n):
        s = 0.0 + 0.0j
        for m in range(n):
            s += x[m]*np.exp(-2j*np.pi*k*m/n)
        out[k] = s
    return out


def dft_in_place(x, out):
    n = x.shape[0]
    for k in range(n):
        out[k] = 0
        for m in range(n):
            angle = -2.0*math.pi*k*m/n
            out[k] += x[m]*complex(math.cos(angle), math.sin(angle))


def fft_radix_2(x):
    n = len(x)
    a = x.astype(np.complex128)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            a[i], a[j] = a[j], a[i]
    length = 2
    while length <= n:
        w = cmath.exp(-2j*math.pi/length)
        for i in range(0, n, length):
            t = 1 + 0j
            for k in range(length//2):
                u = a[i + k]
                v = a[i + k + length//2]*t
                a[i + k] = u + v
                a[i + k + length//2] = u - v
                t *= w
        length *= 2
    return a


def filtered(x, taps):
    out = np.zeros_like(x)
    for i in range(len(taps) - 1, len(x)):
        s = 0j
        for k in range(len(taps)):
            s += taps[k].conjugate()*x[i - k]
        out[i] = s
    return out


def resonator(x, pole):
    out = np.zeros(len(x), complex)
    y = 0j
    for i in range(len(x)):
        y = pole*y + (1 - abs(pole))*x[i]
        out[i] = y
    return out


def parts(z):
    return z.real, z.imag, np.abs(z), np.angle(z), np.conj(z), z.conj().imag, np.real(z)[0], np.imag(z)[-1]


def numbers(z, w, x):
    a = z*w - z/w + x*z - 2*w + (-z)
    b = z.conjugate()*z
    c = abs(z) + b.real + b.imag
    return a, b, c, z == w, z != w, z == z.real, bool(z), complex(x), complex(x, c), x.real, x.imag


def elementary(z):
    return np.exp(z), np.sqrt(z), np.sin(z), np.cos(z), np.log(z), np.sinh(z), np.cosh(z), np.tan(z), np.tanh(z), np.square(z), np.reciprocal(z)


def plain_elementary(z):
    return cmath.exp(z), cmath.sqrt(z), cmath.sin(z), cmath.cos(z), cmath.log(z), cmath.phase(z), cmath.rect(abs(z), cmath.phase(z)), cmath.sqrt(-2.0), cmath.exp(1)


def powers(z, w, n):
    return z**2, z**3, z**-1, z**0, z**7, z**-4, z**w, 2**z, z**0.5, z**n, 0j**2


def single(z, w, x):
    c = z*w + x
    d = c*np.complex64(1j) + 2
    return c, d, d*0.5, np.abs(d), d.real, d.sum(), d.mean(), d*1j, np.exp(d)


def reductions(z, m):
    return z.sum(), z.mean(), z.prod(), np.sum(m), m.sum(axis=0), np.dot(z, z), np.linalg.norm(z), z.var(), z.std(), np.any(z), np.cumsum(z), np.cumprod(z)


def products(a, b):
    return a @ b, a.T @ np.conj(a), a @ b[:, 0]


def newton(width):
    roots = np.array([1 + 0j, -0.5 + 0.8660254037844386j, -0.5 - 0.8660254037844386j])
    out = np.zeros((width, width), np.uint8)
    for i in range(width):
        for j in range(width):
            z = complex(-1.51 + 3.0*j/width, -1.47 + 3.0*i/width)
            for _ in range(30):
                z = z - (z**3 - 1)/(3*z**2)
            best = 0
            for k in range(1, 3):
                if abs(z - roots[k]) < abs(z - roots[best]):
                    best = k
            out[i, j] = best
    return out


def polynomial(z, coefficients):
    out = np.zeros_like(z)
    for i in range(len(z)):
        v = 0j
        for c in coefficients:
            v = v*z[i] + c
        out[i] = v
    return out


def durand_kerner(coefficients, turns):
    n = len(coefficients) - 1
    roots = np.empty(n, np.complex128)
    for i in range(n):
        roots[i] = (0.4 + 0.9j)**i
    for _ in range(turns):
        for i in range(n):
            p = coefficients[0] + 0j
            for k in range(1, n + 1):
                p = p*roots[i] + coefficients[k]
            q = 1 + 0j
            for j in range(n):
                if j != i:
                    q *= roots[i] - roots[j]
            roots[i] -= p/q
    return roots


def mixed(frequency, samples):
    total = 0.0
    for n, v in enumerate(samples):
        total = total + (v*np.exp(-1j*frequency*n)).real
    return total


def steered(x, delays):
    out = np.zeros(x.shape[1], np.complex128)
    for t in range(x.shape[1]):
        for m in range(x.shape[0]):
            out[t] += x[m, t]*np.exp(1j*delays[m])
    return np.abs(out)**2/x.shape[0]


def tests(z):
    return np.isnan(z), np.isfinite(z), np.isinf(z), cmath.isnan(z[0]), z == 0, z != z, np.where(np.abs(z) > 1, z, 0)


def chosen(z, flag):
    v = z if flag else 1.5 + 0j
    w = z
    w += 1
    w -= 2j
    w *= z
    w /= 2
    return v, w


def goertzel(x, k):
    w = 2.0*math.pi*k/len(x)
    a = 0.0
    b = 0.0
    for v in x:
        a, b = v + 2.0*math.cos(w)*a - b, a
    return complex(a - b*math.cos(w), b*math.sin(w))


def filled(n):
    return np.full(n, 1 + 2j), np.ones(n, complex), np.zeros((n, 2), np.complex64), np.array([1, 2j, 3.5]), np.full_like(np.zeros(2, complex), 3)


def waves(n):
    return np.array([cmath.exp(2j*math.pi*k/n) for k in range(n)])


def quantum(state, angle):
    out = np.empty_like(state)
    c = np.cos(angle)
    s = -1j*np.sin(angle)
    half = len(state)//2
    for i in range(half):
        out[i] = c*state[i] + s*state[i + half]
        out[i + half] = s*state[i] + c*state[i + half]
    return out, (out*out.conj()).real.sum()


def rounded(z):
    return np.round(z, 2), np.round(z)


def complexes(*shape):
    return RANDOM.standard_normal(shape) + 1j*RANDOM.standard_normal(shape)


SINGLE = complexes(9).astype(np.complex64)
ODD = np.array([0, 1j, complex(np.nan, 1), complex(1, np.nan), complex(np.inf, 0), complex(0, -np.inf), 2 - 3j])
CASES = [
    (mandelbrot, (40, 30, 60)), (julia, (complexes(9, 8), -0.4 + 0.6j)), (dft, (complexes(16),)), (dft, (RANDOM.standard_normal(7),)), (dft, (np.zeros(0),)),
    (dft_in_place, (complexes(8), np.zeros(8, complex))), (fft_radix_2, (RANDOM.standard_normal(32),)), (fft_radix_2, (complexes(1),)),
    (filtered, (complexes(20), complexes(4))), (filtered, (SINGLE, SINGLE[:3].copy())), (resonator, (RANDOM.standard_normal(30), 0.9*cmath.exp(0.3j))),
    (parts, (complexes(5),)), (parts, (SINGLE,)), (numbers, (1 + 2j, 0.5 - 1j, 3.0)), (numbers, (0j, -2j, -0.5)), (numbers, (np.complex128(2 - 1j), 1j, 2)),
    (elementary, (complexes(12),)), (elementary, (complexes(3, 4),)), (plain_elementary, (1.5 - 0.5j,)), (plain_elementary, (-2 + 0j,)),
    (powers, (1.2 - 0.7j, 0.3 + 0.4j, 3)), (powers, (complexes(1)[0], 2j, -2)), (single, (SINGLE, SINGLE[::-1].copy(), RANDOM.standard_normal(9).astype(np.float32))),
    (reductions, (complexes(6), complexes(3, 4))), (products, (complexes(3, 3), complexes(3, 2))), (newton, (20,)), (polynomial, (complexes(6), complexes(4))),
    (polynomial, (complexes(6), RANDOM.standard_normal(3))), (durand_kerner, (np.array([1.0, -3, 3, -5]), 40)), (mixed, (0.3, RANDOM.standard_normal(20))),
    (steered, (complexes(4, 9), RANDOM.standard_normal(4))), (tests, (ODD,)), (chosen, (1 + 1j, True)), (chosen, (1 + 1j, False)), (goertzel, (RANDOM.standard_normal(32), 3)),
    (filled, (3,)), (waves, (8,)), (quantum, (complexes(8), 0.7)), (rounded, (complexes(5),)), (rounded, (SINGLE,)),
    (rounded, (1.255 - 2.5j,)),
]

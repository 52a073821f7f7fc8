"""Functions of NumPy that rearrange arrays or choose from them, written in the subset itself."""

from __future__ import annotations

import numpy


def trace(a):
    # The first element in an array has the type of the result.
    out = numpy.zeros(1, a.dtype)
    for i in range(min(a.shape[0], a.shape[1])):
        out[0] += a[i, i]
    return out[0]


def diagonal(a):
    out = numpy.zeros(min(a.shape[0], a.shape[1]), a.dtype)
    for i in range(len(out)):
        out[i] = a[i, i]
    return out


def diagonal_matrix(a):
    out = numpy.zeros((len(a), len(a)), a.dtype)
    for i in range(len(a)):
        out[i, i] = a[i]
    return out


def flip(a):
    return a[::-1].copy()


def flip_rows(a):
    return a[::-1, :].copy()


def flip_columns(a):
    return a[:, ::-1].copy()


def flip_both(a):
    return a[::-1, ::-1].copy()


def frequencies(n, d):
    out = numpy.zeros(n)
    unit = 1.0/(n*d)
    for i in range(n):
        out[i] = (i if i < (n + 1)//2 else i - n)*unit
    return out


def half_frequencies(n, d):
    out = numpy.zeros(n//2 + 1)
    unit = 1.0/(n*d)
    for i in range(n//2 + 1):
        out[i] = i*unit
    return out


def hanning(n):
    out = numpy.ones(n)
    for i in range(n):
        if n > 1:
            out[i] = 0.5 + 0.5*numpy.cos(numpy.pi*(2*i - n + 1)/(n - 1))
    return out


def hamming(n):
    out = numpy.ones(n)
    for i in range(n):
        if n > 1:
            out[i] = 0.54 + 0.46*numpy.cos(numpy.pi*(2*i - n + 1)/(n - 1))
    return out


def blackman(n):
    out = numpy.ones(n)
    for i in range(n):
        if n > 1:
            t = numpy.pi*(2*i - n + 1)/(n - 1)
            out[i] = 0.42 + 0.5*numpy.cos(t) + 0.08*numpy.cos(2.0*t)
    return out


def bartlett(n):
    out = numpy.ones(n)
    for i in range(n):
        if n > 1:
            out[i] = 1.0 - abs(2*i - n + 1)/(n - 1)
    return out


def whole_spectrum(a, n):
    """The spectrum of a real signal with n elements, of which the first half is given."""
    out = numpy.zeros(n, numpy.complex128)
    for i in range(n):
        k = i if i <= n//2 else n - i
        if k < len(a):
            if i == 0 or 2*i == n:
                out[i] = a[k].real
            elif i == k:
                out[i] = a[k]
            else:
                out[i] = a[k].conjugate()
    return out


def repeat(a, n):
    out = numpy.zeros(len(a)*n, a.dtype)
    for i in range(len(a)):
        for k in range(n):
            out[i*n + k] = a[i]
    return out


def tile(a, n):
    out = numpy.zeros(len(a)*n, a.dtype)
    for k in range(n):
        for i in range(len(a)):
            out[k*len(a) + i] = a[i]
    return out


def flatnonzero(a):
    out = numpy.zeros(numpy.count_nonzero(a), numpy.int64)
    n = 0
    for i in range(len(a)):
        if a[i]:
            out[n] = i
            n += 1
    return out


def nonzero(a):
    count = numpy.count_nonzero(a)
    rows = numpy.zeros(count, numpy.int64)
    columns = numpy.zeros(count, numpy.int64)
    n = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j]:
                rows[n] = i
                columns[n] = j
                n += 1
    return rows, columns


def meshgrid(x, y):
    first = numpy.zeros((len(y), len(x)), x.dtype)
    second = numpy.zeros((len(y), len(x)), y.dtype)
    for i in range(len(y)):
        for j in range(len(x)):
            first[i, j] = x[j]
            second[i, j] = y[i]
    return first, second


def percentile(a, q):
    if len(a) == 0:
        return numpy.nan
    ordered = numpy.sort(a)
    last = float(ordered[len(a) - 1])
    if last != last:
        return last
    place = 0.01*q*(len(a) - 1)
    low = int(place)
    high = min(low + 1, len(a) - 1)
    below = float(ordered[low])
    return below + (place - low)*(float(ordered[high]) - below)


def quantile(a, q):
    return percentile(a, 100.0*q)


def lower_triangle(a, k):
    out = numpy.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if j <= i + k:
                out[i, j] = a[i, j]
    return out


def upper_triangle(a, k):
    out = numpy.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if j >= i + k:
                out[i, j] = a[i, j]
    return out


def covariance(a):
    """Of the rows."""
    n, count = a.shape
    mean = numpy.zeros(n)
    for i in range(n):
        total = 0.0
        for k in range(count):
            total += a[i, k]
        mean[i] = total/numpy.float64(count)
    out = numpy.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(count):
                total += (a[i, k] - mean[i])*(a[j, k] - mean[j])
            out[i, j] = total/numpy.float64(count - 1)
    return out


def correlation(a):
    found = covariance(a)
    n = len(found)
    far = numpy.zeros(n)
    for i in range(n):
        far[i] = numpy.sqrt(found[i, i])
    for i in range(n):
        for j in range(n):
            found[i, j] = numpy.clip(found[i, j]/far[i]/far[j], -1.0, 1.0)
    return found


def as_rows(a, b):
    if len(a) != len(b):
        raise ValueError("arrays of different lengths are compared")
    out = numpy.zeros((2, len(a)))
    for k in range(len(a)):
        out[0, k] = a[k]
        out[1, k] = b[k]
    return out


def covariance_of_two(a, b):
    return covariance(as_rows(a, b))


def correlation_of_two(a, b):
    return correlation(as_rows(a, b))


def cross(a, b):
    if len(a) != 3 or len(b) != 3:
        raise ValueError("vectors of three components are needed")
    out = numpy.zeros_like(a)
    out[0] = a[1]*b[2] - a[2]*b[1]
    out[1] = a[2]*b[0] - a[0]*b[2]
    out[2] = a[0]*b[1] - a[1]*b[0]
    return out


def from_lower_half(a):
    """The symmetric matrix with this lower half."""
    out = numpy.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = a[max(i, j), min(i, j)]
    return out


def identity(n):
    out = numpy.zeros((n, n))
    for i in range(n):
        out[i, i] = 1.0
    return out


#: As `scans.FUNCTIONS`, by function and the dimensions of its first argument (0 for a number).
FUNCTIONS = {
    (numpy.trace, 2): (1, 1, trace), (numpy.diag, 2): (1, 1, diagonal), (numpy.diagonal, 2): (1, 1, diagonal), (numpy.diag, 1): (1, 1, diagonal_matrix),
    (numpy.flip, 1): (1, 1, flip), (numpy.flip, 2): (1, 1, flip_both), (numpy.flipud, 1): (1, 1, flip), (numpy.flipud, 2): (1, 1, flip_rows),
    (numpy.fliplr, 2): (1, 1, flip_columns), (numpy.repeat, 1): (2, 1, repeat), (numpy.tile, 1): (2, 1, tile),
    (numpy.flatnonzero, 1): (1, 1, flatnonzero), (numpy.nonzero, 2): (1, 1, nonzero), (numpy.meshgrid, 1): (2, 2, meshgrid),
    (numpy.percentile, 1): (2, 1, percentile), (numpy.quantile, 1): (2, 1, quantile), (numpy.eye, 0): (1, 0, identity),
    (numpy.identity, 0): (1, 0, identity), (numpy.hanning, 0): (1, 0, hanning), (numpy.hamming, 0): (1, 0, hamming),
    (numpy.blackman, 0): (1, 0, blackman), (numpy.bartlett, 0): (1, 0, bartlett), (numpy.tril, 2): (2, 1, lower_triangle), (numpy.triu, 2): (2, 1, upper_triangle),
    (numpy.cov, 2): (1, 1, covariance), (numpy.cov, 1): (2, 2, covariance_of_two), (numpy.cross, 1): (2, 2, cross),
    (numpy.corrcoef, 2): (1, 1, correlation), (numpy.corrcoef, 1): (2, 2, correlation_of_two),
}
#: Functions whose second argument is 0 if it is left out, and may be negative.
DIAGONALS = (numpy.tril, numpy.triu)
#: Functions of which one has its name, for what they take.
NAMES = {function for function, _ in FUNCTIONS} | {numpy.nonzero, numpy.where}

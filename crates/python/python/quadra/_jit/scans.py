"""Functions of NumPy on arrays of one dimension that are written in the subset itself: running sums, differences, order."""

from __future__ import annotations

import numpy


def cumsum(a):
    out = numpy.zeros_like(a)
    for i in range(len(a)):
        out[i] = a[i] if i == 0 else out[i - 1] + a[i]
    return out


def cumprod(a):
    out = numpy.zeros_like(a)
    for i in range(len(a)):
        out[i] = a[i] if i == 0 else out[i - 1]*a[i]
    return out


def diff(a):
    out = numpy.zeros(max(len(a) - 1, 0), a.dtype)
    for i in range(len(out)):
        out[i] = a[i + 1] - a[i]
    return out


def median(a):
    if len(a) == 0:
        return numpy.nan
    sorted = numpy.sort(a)
    last = float(sorted[len(a) - 1])
    if last != last:
        return last
    return 0.5*(float(sorted[(len(a) - 1)//2]) + float(sorted[len(a)//2]))


def unique(a):
    ordered = numpy.sort(a)
    count = 0
    for i in range(len(a)):
        if i == 0 or ordered[i] != ordered[i - 1]:
            count += 1
    out = numpy.zeros(count, a.dtype)
    count = 0
    for i in range(len(a)):
        if i == 0 or ordered[i] != ordered[i - 1]:
            out[count] = ordered[i]
            count += 1
    return out


def searchsorted(a, x):
    low = 0
    high = len(a)
    while low < high:
        middle = (low + high)//2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def searchsorted_right(a, x):
    low = 0
    high = len(a)
    while low < high:
        middle = (low + high)//2
        if x < a[middle]:
            high = middle
        else:
            low = middle + 1
    return low


def interp(x, places, values):
    n = len(places)
    if x != x:
        return x
    if x <= places[0]:
        return float(values[0])
    if x >= places[n - 1]:
        return float(values[n - 1])
    high = searchsorted(places, x)
    low = high - 1
    if float(places[high]) == x:
        return float(values[high])
    slope = float(numpy.divide(float(values[high]) - float(values[low]), float(places[high]) - float(places[low])))
    return slope*(x - float(places[low])) + float(values[low])


def trapezoid(y, x):
    s = 0.0
    for i in range(1, len(y)):
        s += 0.5*(float(x[i]) - float(x[i - 1]))*(float(y[i]) + float(y[i - 1]))
    return s


def bincount(a, least):
    count = least
    for i in range(len(a)):
        if a[i] < 0:
            raise ValueError("numpy.bincount of a negative number")
        count = max(count, int(a[i]) + 1)
    out = numpy.zeros(count, numpy.int64)
    for i in range(len(a)):
        out[a[i]] += 1
    return out


def equal_edges(low, high, bins):
    if low == high:
        low -= 0.5
        high += 0.5
    return numpy.linspace(low, high, bins + 1)


def histogram(a, edges):
    """The elements between equally distant edges; the last bin has both of its own."""
    bins = len(edges) - 1
    out = numpy.zeros(bins, numpy.int64)
    first = edges[0]
    last = edges[bins]
    for i in range(len(a)):
        x = float(a[i])
        if first <= x and x <= last:
            k = min(int((x - first)/(last - first)*bins), bins - 1)
            # The quotient is rounded, the edges are what counts.
            if x < edges[k]:
                k -= 1
            elif k < bins - 1 and x >= edges[k + 1]:
                k += 1
            out[k] += 1
    return out


def histogram_between(a, edges):
    """The elements between edges in their order; the last bin has both of its own."""
    bins = len(edges) - 1
    if bins < 0:
        raise ValueError("numpy.histogram without edges")
    for k in range(bins):
        if edges[k] > edges[k + 1]:
            raise ValueError("`bins` must increase monotonically, when an array")
    out = numpy.zeros(bins, numpy.int64)
    for i in range(len(a)):
        x = float(a[i])
        if bins > 0 and float(edges[0]) <= x and x <= float(edges[bins]):
            low = 0
            high = bins
            while high - low > 1:
                middle = (low + high)//2
                if x < float(edges[middle]):
                    high = middle
                else:
                    low = middle
            out[low] += 1
    return out


def polyval(coefficients, x):
    value = coefficients[0] + 0*x
    for k in range(1, len(coefficients)):
        value = value*x + coefficients[k]
    return value


def convolve(a, v):
    out = numpy.zeros(len(a) + len(v) - 1, a.dtype)
    for i in range(len(a)):
        for k in range(len(v)):
            out[i + k] += a[i]*v[k]
    return out


def gradient(a):
    last = len(a) - 1
    if last < 1:
        raise ValueError("numpy.gradient of fewer than two elements")
    out = numpy.zeros_like(a)
    for i in range(1, last):
        out[i] = 0.5*(a[i + 1] - a[i - 1])
    out[0] = a[1] - a[0]
    out[last] = a[last] - a[last - 1]
    return out


def digitize(x, bins):
    out = numpy.zeros(len(x), numpy.int64)
    n = len(bins)
    falls = n > 1 and bins[0] > bins[n - 1]
    for i in range(len(x)):
        low = 0
        high = n
        while low < high:
            middle = (low + high)//2
            if (bins[middle] > x[i]) == falls:
                low = middle + 1
            else:
                high = middle
        out[i] = low
    return out


def array_equal(a, b):
    if len(a) != len(b):
        return False
    for i in range(len(a)):
        if a[i] != b[i]:
            return False
    return True


#: Functions that take an array of several dimensions for one of all its elements.
FLAT = (numpy.cumsum, numpy.cumprod, numpy.median, numpy.unique)
#: By function of NumPy: how many arguments it takes here, of which the first ones are arrays, and what computes it.
FUNCTIONS = {
    numpy.cumsum: (1, 1, cumsum), numpy.cumprod: (1, 1, cumprod), numpy.diff: (1, 1, diff),
    numpy.median: (1, 1, median), numpy.searchsorted: (2, 1, searchsorted),
    numpy.interp: (3, 0, interp), numpy.unique: (1, 1, unique), numpy.bincount: (2, 1, bincount), numpy.polyval: (2, 1, polyval),
    numpy.convolve: (2, 2, convolve), numpy.gradient: (1, 1, gradient), numpy.digitize: (2, 2, digitize), numpy.array_equal: (2, 2, array_equal),
}
if hasattr(numpy, "trapezoid"):
    # NumPy 2.
    FUNCTIONS[numpy.trapezoid] = 2, 2, trapezoid

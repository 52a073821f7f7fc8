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


def outer(a, b):
    return a[:, None]*b[None, :]


def argsort(a):
    """Places in the order of the elements; equal ones stay in theirs, and what is no number comes last."""
    n = len(a)
    out = numpy.arange(n)
    other = numpy.arange(n)
    width = 1
    while width < n:
        low = 0
        while low < n:
            middle = min(low + width, n)
            high = min(low + 2*width, n)
            i = low
            j = middle
            for k in range(low, high):
                left = i < middle
                if left and j < high:
                    x = a[out[i]]
                    y = a[out[j]]
                    left = not y < x and (x == x or y != y)
                if left:
                    other[k] = out[i]
                    i += 1
                else:
                    other[k] = out[j]
                    j += 1
            low += 2*width
        for k in range(n):
            out[k] = other[k]
        width *= 2
    return out


def sort(a):
    order = argsort(a)
    out = numpy.zeros_like(a)
    for i in range(len(a)):
        out[i] = a[order[i]]
    return out


def median(a):
    if len(a) == 0:
        return numpy.nan
    sorted = sort(a)
    last = float(sorted[len(a) - 1])
    if last != last:
        return last
    return 0.5*(float(sorted[(len(a) - 1)//2]) + float(sorted[len(a)//2]))


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


#: By function of NumPy: how many arguments it takes here, of which the first ones are arrays, and what computes it.
FUNCTIONS = {
    numpy.cumsum: (1, 1, cumsum), numpy.cumprod: (1, 1, cumprod), numpy.diff: (1, 1, diff), numpy.outer: (2, 2, outer),
    numpy.argsort: (1, 1, argsort), numpy.sort: (1, 1, sort), numpy.median: (1, 1, median), numpy.searchsorted: (2, 1, searchsorted),
    numpy.interp: (3, 0, interp),
}
if hasattr(numpy, "trapezoid"):
    # NumPy 2.
    FUNCTIONS[numpy.trapezoid] = 2, 2, trapezoid

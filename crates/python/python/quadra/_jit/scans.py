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
    numpy.cumsum: (1, 1, cumsum), numpy.cumprod: (1, 1, cumprod), numpy.diff: (1, 1, diff),
    numpy.median: (1, 1, median), numpy.searchsorted: (2, 1, searchsorted),
    numpy.interp: (3, 0, interp), numpy.unique: (1, 1, unique),
}
if hasattr(numpy, "trapezoid"):
    # NumPy 2.
    FUNCTIONS[numpy.trapezoid] = 2, 2, trapezoid

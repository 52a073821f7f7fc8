"""Functions of `math` and NumPy that are written in the subset itself, over those that the language has.

They are compiled when a function that is compiled calls them. They take doubles and are exact to some units in the last place; single precision is rounded from their results.
"""

from __future__ import annotations

import math

import numpy


def rint(x):
    if x != x or abs(x) >= 4503599627370496.0:
        return x
    below = float(numpy.floor(x))
    rest = x - below
    if rest > 0.5 or rest == 0.5 and below % 2.0 != 0.0:
        below += 1.0
    # Negative numbers are rounded to a negative zero.
    return below if below != 0.0 else x*0.0


def signbit(x):
    return x < 0.0 or x == 0.0 and numpy.divide(1.0, x) < 0.0


def copysign(x, y):
    size = abs(x)
    return -size if y < 0.0 or y == 0.0 and numpy.divide(1.0, y) < 0.0 else size


def remainder(x, y):
    """What is left of a number without a sign behind the multiples of another one: every step is exact."""
    if x != x or y != y or x == math.inf or y == 0.0:
        return math.nan
    rest = x
    if y != math.inf:
        part = y
        while part <= 0.5*rest:
            part *= 2.0
        while part >= y:
            if rest >= part:
                rest -= part
            part *= 0.5
    return rest


def fmod(x, y):
    left = remainder(abs(x), abs(y))
    return copysign(left, x) if left == left else left


def modulo(x, y):
    left = remainder(abs(x), abs(y))
    if left == 0.0:
        # A remainder of zero has the sign of the divisor.
        return copysign(left, y)
    if x < 0.0:
        left = -left
    return left + y if (left < 0.0) != (y < 0.0) and left == left else left


def floor_divide(x, y):
    if y == 0.0:
        return float(numpy.divide(x, y))
    left = fmod(x, y)
    quotient = float(numpy.divide(x - left, y))
    if left == left and left != 0.0 and (left < 0.0) != (y < 0.0):
        quotient -= 1.0
    if quotient == 0.0:
        return float(numpy.divide(x, y))*0.0
    whole = float(numpy.floor(quotient))
    # The quotient may be rounded up or down to the next.
    return whole + 1.0 if quotient - whole > 0.5 else whole


def rest(a, b):
    found = abs(a) % abs(b)
    return -found if a < 0 else found


def power(a, n):
    result = numpy.int64(1)
    while n > 0:
        if n % 2 == 1:
            result *= a
        n //= 2
        if n > 0:
            a *= a
    return result


def log1p(x):
    u = 1.0 + x
    if u == 1.0 or x == math.inf:
        return x
    return float(numpy.log(u))*float(numpy.divide(x, u - 1.0))


def expm1(x):
    u = float(numpy.exp(x))
    if u == 1.0:
        return x
    if u - 1.0 == -1.0:
        return -1.0
    if u == math.inf:
        return u
    return float(numpy.divide((u - 1.0)*x, numpy.log(u)))


def asinh(x):
    size = abs(x)
    if size > 1e150:
        found = float(numpy.log(size)) + 0.6931471805599453
    else:
        found = log1p(size + float(numpy.divide(size*size, 1.0 + numpy.sqrt(1.0 + size*size))))
    return -found if x < 0.0 else found if x != 0.0 else x


def acosh(x):
    if x < 1.0:
        return math.nan
    if x > 1e150:
        return float(numpy.log(x)) + 0.6931471805599453
    t = x - 1.0
    return log1p(t + float(numpy.sqrt(2.0*t + t*t)))


def atanh(x):
    size = abs(x)
    found = 0.5*log1p(float(numpy.divide(2.0*size, 1.0 - size)))
    return -found if x < 0.0 else found if x != 0.0 else x


def cbrt(x):
    size = abs(x)
    if size == 0.0 or size == math.inf or x != x:
        return x
    scale = 1.0
    if size < 1e-290:
        # Its square would leave the range.
        size *= 2.0**300
        scale = 2.0**-100
    y = size**0.3333333333333333
    y -= float(numpy.divide(y - numpy.divide(size, y*y), 3.0))
    return -y*scale if x < 0.0 else y*scale


def exp2(x):
    return 2.0**x


def powers_added(x, y, smaller, doubled, unit):
    """log(b**x + b**y) to the base b, with b**-abs(x - y) and the logarithms of 2 and e."""
    if x == y:
        return x + doubled
    if smaller != smaller:
        return x + y
    return max(x, y) + log1p(smaller)*unit


def logaddexp(x, y):
    return powers_added(x, y, float(numpy.exp(-abs(x - y))), 0.6931471805599453, 1.0)


def logaddexp2(x, y):
    return powers_added(x, y, 2.0**-abs(x - y), 1.0, 1.4426950408889634)


def heaviside(x, middle):
    if x != x:
        return x
    return 0.0 if x < 0.0 else middle if x == 0.0 else 1.0


def erf(x):
    size = abs(x)
    if x != x or size == 0.0:
        return x
    if size < 2.0:
        # A series of positive terms.
        term = size
        total = size
        n = 0
        while term > 1e-17*total:
            n += 1
            term *= 2.0*size*size/(2.0*n + 1.0)
            total += term
        found = total*1.1283791670955126*float(numpy.exp(-size*size))
    else:
        found = 1.0 - tail(size)
    return -found if x < 0.0 else found


def tail(x):
    """`erfc` of what is not small: a continued fraction, from its end, which is the longer the smaller the number."""
    if x > 27.3:
        return 0.0
    n = 50 + int(300.0/(x*x))
    below = x
    while n > 0:
        below = x + 0.5*n/below
        n -= 1
    # The square in two parts, since its error counts.
    high = float(numpy.floor(x*1048576.0))/1048576.0
    return float(numpy.exp(-high*high))*float(numpy.exp(-(x - high)*(x + high)))*0.5641895835477563/below


def erfc(x):
    if x != x:
        return x
    if x >= 0.7:
        return tail(x)
    return 1.0 - erf(x)


def gcd(a, b):
    a, b = abs(a), abs(b)
    while b != 0:
        a, b = b, a % b
    return a


def lcm(a, b):
    if a == 0 or b == 0:
        return 0
    return abs(a)//gcd(a, b)*abs(b)


#: By function of NumPy: one of doubles, whose result has the type of floats that NumPy computes in.
NUMPY = {
    numpy.log1p: log1p, numpy.expm1: expm1, numpy.cbrt: cbrt, numpy.exp2: exp2, numpy.rint: rint, numpy.copysign: copysign,
    numpy.fmod: fmod, numpy.logaddexp: logaddexp, numpy.logaddexp2: logaddexp2, numpy.heaviside: heaviside, numpy.arcsinh: asinh,
    numpy.arccosh: acosh, numpy.arctanh: atanh,
}
#: By function of `math`: the same, and what must hold of the first argument.
MATH = {
    math.log1p: (log1p, "{0} > -1.0"), math.expm1: (expm1, "{0} < 709.78"), math.asinh: (asinh, None), math.acosh: (acosh, "{0} >= 1.0"),
    math.atanh: (atanh, "abs({0}) < 1.0"), math.erf: (erf, None), math.erfc: (erfc, None), math.copysign: (copysign, None),
}
for _function in (cbrt, exp2):
    # Python 3.11 and later.
    if hasattr(math, _function.__name__):
        MATH[getattr(math, _function.__name__)] = (_function, None)
INTEGERS = {math.gcd: gcd, math.lcm: lcm, numpy.gcd: gcd, numpy.lcm: lcm}

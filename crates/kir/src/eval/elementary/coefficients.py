"""Prints the factors of the polynomials in format.rs, hyperbolic.rs and logarithm.rs: `python3 coefficients.py` with the package mpmath.

Each polynomial p minimises the largest |w(x) (f(x) - p(x))| over an interval, by the second algorithm of Remez. The weight w makes that
the error of the whole function relative to itself. Factors are rounded to the format when all are found.
"""

import struct

import mpmath as m
from mpmath import mpf

m.mp.prec = 300
TINY = mpf(10) ** -14
# As if arguments around 0 were so large, lest their errors weigh nothing.
NEAR = mpf(10) ** -3


def remez(f, low, high, count, weight):
    """The factors of the best polynomial with `count` of them, and its weighted error."""
    nodes = [(low + high) / 2 + (high - low) / 2 * m.cos(m.pi * (count - i) / count) for i in range(count + 1)]
    if weight(low) == 0:
        nodes[0] = low + (high - low) * mpf(10) ** -6
    for _ in range(12):
        rows = m.matrix(count + 1, count + 1)
        right = m.matrix(count + 1, 1)
        for i, x in enumerate(nodes):
            for j in range(count):
                rows[i, j] = x**j
            rows[i, count] = (-1) ** i / weight(x)
            right[i] = f(x)
        solution = m.lu_solve(rows, right)
        factors = [solution[i] for i in range(count)]
        steps = 40 * count
        points = [low + (high - low) * (1 - m.cos(m.pi * i / steps)) / 2 for i in range(steps + 1)]
        errors = [(weight(x) * (f(x) - m.polyval(factors[::-1], x)), x) for x in points]
        # The largest error of each stretch with one sign.
        extremes = []
        for error in errors:
            if not extremes or (error[0] > 0) != (extremes[-1][0] > 0):
                extremes.append(error)
            elif abs(error[0]) > abs(extremes[-1][0]):
                extremes[-1] = error
        while len(extremes) > count + 1:
            extremes.pop(0 if abs(extremes[0][0]) < abs(extremes[-1][0]) else -1)
        sizes = [abs(e) for e, _ in extremes]
        if len(extremes) < count + 1 or max(sizes) / min(sizes) < 1.0005:
            break
        nodes = [x for _, x in extremes]
    return factors, max(abs(e) for e, _ in errors)


def of_square(value, first):
    """A function of z = x² by one of x; `first` is its value at 0."""
    return lambda z: value(m.sqrt(z)) if z > TINY else first


# Arguments are reduced to a little more than pi/4, because the quadrant's number is rounded.
QUARTER = (m.pi / 4 * mpf("1.04")) ** 2
EIGHTH = (m.tan(m.pi / 8) * mpf("1.0001")) ** 2
RATIO = ((m.sqrt(2) - 1) / (m.sqrt(2) + 1) * mpf("1.0001")) ** 2
HALF_LN_2 = m.log(2) / 2 * mpf("1.01")
HALF = mpf("0.501")
SINGLE, DOUBLE = "f", "d"


def arc_tangent(x):
    return (m.atan(x) / x - 1) / x**2


# Name, function, interval, weight, and with how many factors for which format.
TABLES = [
    ("minus_sin", of_square(lambda x: (1 - m.sin(x) / x) / x**2, mpf(1) / 6), 0, QUARTER, lambda z: z, {SINGLE: 3, DOUBLE: 7}),
    ("cos", of_square(lambda x: (m.cos(x) - 1 + x**2 / 2) / x**4, mpf(1) / 24), 0, QUARTER, lambda z: z * z, {SINGLE: 3, DOUBLE: 6}),
    ("tan", of_square(lambda x: (m.tan(x) / x - 1) / x**2, mpf(1) / 3), 0, QUARTER, lambda z: z, {SINGLE: 7, DOUBLE: 15}),
    ("atan", of_square(arc_tangent, -mpf(1) / 3), 0, 1, lambda z: z, {SINGLE: 9}),
    ("atan", of_square(arc_tangent, -mpf(1) / 3), 0, EIGHTH, lambda z: z, {DOUBLE: 11}),
    ("asin", of_square(lambda x: (m.asin(x) / x - 1) / x**2, mpf(1) / 6), 0, mpf("0.2501"), lambda z: z, {SINGLE: 5, DOUBLE: 13}),
    ("sinh", of_square(lambda x: (m.sinh(x) / x - 1) / x**2, mpf(1) / 6), 0, mpf("1.001"), lambda z: z, {SINGLE: 4, DOUBLE: 7}),
    ("log", of_square(lambda s: (m.log((1 + s) / (1 - s)) / s - 2) / s**2, mpf(2) / 3), 0, RATIO, lambda z: z, {SINGLE: 4, DOUBLE: 7}),
    (
        "exp, after 0.5",
        lambda r: (m.exp(r) - 1 - r - r**2 / 2) / r**3 if abs(r) > mpf(10) ** -20 else mpf(1) / 6,
        -HALF_LN_2,
        HALF_LN_2,
        lambda r: max(abs(r), NEAR) ** 2,
        {SINGLE: 4, DOUBLE: 10},
    ),
    ("EXP2", lambda r: (2**r - 1) / r if abs(r) > mpf(10) ** -40 else m.log(2), -HALF, HALF, lambda r: max(abs(r), NEAR), {SINGLE: 6, DOUBLE: 12}),
    (
        "LOG2 of pow",
        of_square(lambda s: (m.log((1 + s) / (1 - s), 2) / s - 2 / m.log(2)) / s**2, mpf(2) / 3 / m.log(2)),
        0,
        RATIO,
        lambda z: z,
        {DOUBLE: 5},
    ),
]


def main():
    for name, f, low, high, weight, formats in TABLES:
        for form, count in formats.items():
            factors, error = remez(f, mpf(low), mpf(high), count, weight)
            rounded = [struct.unpack(form, struct.pack(form, float(c)))[0] for c in factors]
            print(f"{name} ({form}), error 2^{float(m.log(error, 2)):.1f}: {', '.join(map(repr, rounded))}")


if __name__ == "__main__":
    main()

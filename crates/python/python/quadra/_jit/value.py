"""Values while a function is translated: text of Quasar, type, and bounds of integers."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Any

from .types import BOOL, COMPLEX, FLOAT, HIGH, INT, LOW, Type

#: What 32 bits hold.
SMALL = 2**31 - 1


@dataclass(frozen=True)
class Value:
    text: str
    type: Type
    #: Bounds of an integer.
    low: int = LOW
    high: int = HIGH
    #: The number itself, if it is known.
    constant: Any = None
    #: Whether the text names a variable or a number, so that it may stand twice.
    atom: bool = False
    #: Whether an integer is computed with 64 bits.
    wide: bool = False
    #: What the variable was computed from, for a bound of a slice.
    origin: str = ""

    def with_type(self, type: Type) -> Value:
        return replace(self, type=type)


@dataclass(frozen=True)
class Known:
    """An argument that is no number: a text, or `None`. Only comparisons look at it, while the function is translated."""

    value: str | None


@dataclass(frozen=True)
class Listed:
    """An argument that is a list of numbers of Python, of one type. It is passed as an array."""

    type: Type


class Evaluated(ast.expr):
    """A part of an expression that has its value already."""

    def __init__(self, found):
        super().__init__()
        self.found = found


def integer(n: int, type: Type = INT) -> Value:
    wide = abs(n) > SMALL
    if not wide:
        return Value(str(n) if n >= 0 else f"({n})", type, n, n, n, True)
    # Literals of more than 32 bits: two halves, each exact as a float.
    high, low = divmod(n, 2**32)
    text = f"(int64({high}.0)*int64(4294967296.0) + int64({low}.0))"
    return Value(text, type, n, n, n, False, True)


def number(x: float, type: Type = FLOAT) -> Value:
    if x != x:
        return Value("nan", type, constant=x, atom=True)
    if x in (float("inf"), float("-inf")):
        return Value("inf" if x > 0 else "(-inf)", type, constant=x, atom=True)
    text = repr(float(x))
    if "." not in text and "e" not in text:
        text += ".0"
    return Value(text if x >= 0 and not text.startswith("-") else f"({text})", type, constant=float(x), atom=True)


def imaginary(z: complex, type: Type = COMPLEX) -> Value:
    """A complex number."""
    return Value(f"complex({number(z.real).text}, {number(z.imag).text})", type, constant=complex(z))


def constant(x) -> Value | None:
    """A number of Python or NumPy."""
    import numpy

    if isinstance(x, (bool, numpy.bool_)):
        return Value(str(int(x)), BOOL if isinstance(x, bool) else Type("b1"), int(x), int(x), bool(x), True)
    if isinstance(x, numpy.generic):
        name = x.dtype.str[1:]
        if name in ("f4", "f8"):
            return number(float(x), Type(name))
        if name in ("c8", "c16"):
            return imaginary(complex(x), Type(name))
        if name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4"):
            return integer(int(x), Type(name))
        return None
    if isinstance(x, int) and LOW <= x <= HIGH:
        return integer(x)
    if isinstance(x, float):
        return number(x)
    if isinstance(x, complex):
        return imaginary(x)
    return None

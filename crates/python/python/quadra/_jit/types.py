"""Types of values in jitted functions, and the rules by which NumPy finds the type of a result (NEP 50)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

#: An integer that may be anything of 64 bits.
LOW, HIGH = -(2**63), 2**63 - 1
#: The type of a number in Python, which gives way to NumPy's: `int`, `float`, `bool`, `complex`.
WEAK = ("bool", "int", "float", "complex")
NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "f4", "f8", "c8", "c16")
#: The type of NumPy that a number of Python has as an element.
STRONG = {"int": "i8", "float": "f8", "bool": "b1", "complex": "c16"}


class Refused(Exception):
    """What the subset does not have, at a line of Python."""

    def __init__(self, node, message: str, help: str = ""):
        super().__init__(message)
        self.node, self.message, self.help = node, message, help
        #: The variable whose types do not fit to each other.
        self.variable = ""


def conflict(node, name: str, a, b, help: str) -> Refused:
    """A variable of two types."""
    refused = Refused(node, f"'{name}' is {a} elsewhere and {b} here", help)
    refused.variable = name
    return refused


@dataclass(frozen=True)
class Type:
    """A number (`ndim` is `None`), or an array of numbers."""

    name: str
    ndim: int | None = None
    #: For an array that is returned as a list: the type of its elements.
    listed: str = ""

    @property
    def is_array(self) -> bool:
        return self.ndim is not None

    @property
    def is_float(self) -> bool:
        return self.name in ("float", "f4", "f8")

    @property
    def is_complex(self) -> bool:
        return self.name in ("complex", "c8", "c16")

    @property
    def is_bool(self) -> bool:
        return self.name in ("bool", "b1")

    @property
    def is_int(self) -> bool:
        return not self.is_float and not self.is_bool and not self.is_complex

    @property
    def is_weak(self) -> bool:
        return self.name in WEAK

    def __str__(self) -> str:
        names = {"b1": "bool"} | {n: numpy.dtype(n).name for n in NUMBERS if n != "b1"}
        name = names.get(self.name, self.name)
        return f"array of {name} with {self.ndim} dimensions" if self.is_array else name


@dataclass(frozen=True)
class Tuple:
    items: tuple


BOOL, INT, FLOAT, COMPLEX = Type("bool"), Type("int"), Type("float"), Type("complex")


def part_of(of: Type) -> Type:
    """The type of the real part."""
    return Type({"complex": "float", "c8": "f4", "c16": "f8"}.get(of.name, of.name))


def bounds(name: str) -> tuple[int, int]:
    """Least and greatest integer of a type."""
    if name in ("bool", "b1"):
        return 0, 1
    if name == "int":
        return LOW, HIGH
    info = numpy.iinfo(name)
    return int(info.min), int(info.max)


def promote(node, a: Type, b: Type) -> Type:
    """The type of `a + b` for two numbers."""
    if a == b:
        if a.name == "b1":
            raise Refused(node, "truth values of NumPy are combined by arithmetic", "convert one of them: int(x)")
        return INT if a.name == "bool" else a
    if a.is_weak and b.is_weak:
        names = (a.name, b.name)
        return COMPLEX if "complex" in names else FLOAT if "float" in names else INT
    if a.is_weak or b.is_weak:
        weak, strong = (a, b) if a.is_weak else (b, a)
        if weak.is_complex and not strong.is_complex:
            return Type("c8" if strong.name == "f4" else "c16")
        if weak.name == "float" and not strong.is_float and not strong.is_complex:
            return Type("f8")
        if strong.name == "b1":
            return Type("i8") if weak.name == "int" else strong
        return strong
    return Type(numpy.promote_types("?" if a.name == "b1" else a.name, "?" if b.name == "b1" else b.name).str[1:])


def element(dtype) -> str | None:
    """The name of a type of elements; none for those that the subset lacks."""
    dtype = numpy.dtype(dtype)
    name = dtype.str[1:]
    return name if name in NUMBERS and dtype.isnative else None


#: How Quasar names elements. A truth value is a byte.
ELEMENTS = {
    "b1": "uint8", "i1": "int8", "i2": "int16", "i4": "int", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32",
    "f4": "scalar'single", "f8": "scalar'double", "c8": "cscalar'single", "c16": "cscalar'double",
}


def array_of(name: str, ndim: int) -> str:
    """How Quasar names an array."""
    shape = {1: "vec", 2: "mat", 3: "cube"}.get(ndim, f"cube{{{ndim}}}")
    return f"{shape}[{ELEMENTS[name]}]"


def checked_array(name: str, ndim: int) -> str:
    """The type of a variable of the function: reading beyond it is an error in parallel loops, too, which give 0 for it otherwise."""
    return array_of(name, ndim) + "'checked"

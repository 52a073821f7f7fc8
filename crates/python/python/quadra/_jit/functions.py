"""Functions of Python, `math` and NumPy that jitted functions may call on numbers."""

from __future__ import annotations

import ast
import builtins
import math

import numpy

from .types import BOOL, FLOAT, HIGH, INT, NUMBERS, STRONG, Refused, Type, bounds, promote
from .value import Value, integer, number

#: Functions of one float: how Quasar calls them, by the function of NumPy; then by that of `math`, with what must hold there.
NUMPY_ONE = {
    numpy.sin: "sin", numpy.cos: "cos", numpy.tan: "tan", numpy.arcsin: "asin", numpy.arccos: "acos", numpy.arctan: "atan",
    numpy.sinh: "sinh", numpy.cosh: "cosh", numpy.tanh: "tanh", numpy.exp: "exp", numpy.log: "log", numpy.log2: "log2",
    numpy.log10: "log10", numpy.sqrt: "sqrt",
}
MATH_ONE = {
    math.sin: ("sin", None), math.cos: ("cos", None), math.tan: ("tan", None), math.asin: ("asin", "abs({0}) <= 1"),
    math.acos: ("acos", "abs({0}) <= 1"), math.atan: ("atan", None), math.sinh: ("sinh", "abs({0}) < 710"),
    math.cosh: ("cosh", "abs({0}) < 710"), math.tanh: ("tanh", None), math.exp: ("exp", "{0} < 709.78"),
    math.log: ("log", "{0} > 0"), math.log2: ("log2", "{0} > 0"), math.log10: ("log10", "{0} > 0"),
    math.sqrt: ("sqrt", "{0} >= 0"), math.fabs: ("abs", None),
}
#: Functions that keep the type of a float.
ROUNDING = {numpy.floor: "floor", numpy.ceil: "ceil", numpy.trunc: "fix"}
MATH_ROUNDING = {math.floor: "floor", math.ceil: "ceil", math.trunc: "fix"}
TESTS = {math.isnan: "isnan", math.isinf: "isinf", numpy.isnan: "isnan", numpy.isinf: "isinf"}
CONVERSIONS = {numpy.dtype(n).type: n for n in NUMBERS if n[0] != "c"}


def _float_type(v: Value) -> Type:
    """The type in which NumPy computes a function of floats."""
    if v.type.is_float:
        return Type("f8") if v.type.is_weak else v.type
    return Type("f4") if v.type.name in ("i2", "u2") else Type("f8")


def _one_float(t, node, function, v: Value) -> Value | None:
    if function in NUMPY_ONE:
        if v.type.name in ("i1", "u1", "b1", "bool"):
            raise Refused(node, "NumPy computes this in half precision", "convert the argument: float(x)")
        to = _float_type(v)
        return Value(f"{NUMPY_ONE[function]}({t.coerce(node, v, to).text})", to)
    if function in MATH_ONE:
        name, holds = MATH_ONE[function]
        v = t.coerce(node, v, FLOAT)
        if holds and not (v.constant is not None and name == "sqrt" and v.constant >= 0):
            v = t.atom(v)
            # What is no number goes through, as in Python.
            t.check(node, f"{holds.format(v.text)} || {v.text} != {v.text}", ValueError, f"math domain error in {name}")
        return Value(f"{name}({v.text})", FLOAT)
    if function in ROUNDING:
        return v if not v.type.is_float else Value(f"{ROUNDING[function]}({v.text})", Type("f8") if v.type.is_weak else v.type)
    if function in MATH_ROUNDING:
        return v if not v.type.is_float else whole(t, node, Value(f"{MATH_ROUNDING[function]}({v.text})", v.type), INT)
    if function in TESTS:
        kind = BOOL if function in (math.isnan, math.isinf) else Type("b1")
        if not v.type.is_float:
            return Value("0", kind, 0, 0, False, True)
        v = t.atom(v)
        text = f"({v.text} != {v.text})" if TESTS[function] == "isnan" else f"(abs({v.text}) == inf)"
        return Value(text, kind, 0, 1)
    return None


def whole(t, node, v: Value, to: Type) -> Value:
    """A float cut to an integer."""
    low, high = bounds(to.name)
    v = t.atom(v)
    # Beyond these floats there is no integer of 64 bits; of fewer bits the check of NumPy is the caller's.
    edge = min(high + 1, 2**63)
    t.check(node, f"{v.text} < {float(edge)!r} && {v.text} > {float(low) - 1.0!r}", OverflowError, "a float that no integer of this type holds")
    return Value(f"int64({v.text})", to, low, high, wide=True)


def convert(t, node, v: Value, to: Type) -> Value:
    """`to(v)`."""
    if to.is_complex or v.type.is_complex:
        return t.coerce(node, t.as_int(v), to)
    if to.is_bool:
        return t.truth(v).with_type(to)
    if to.is_float:
        return t.coerce(node, t.as_int(v), to)
    if v.type.is_float:
        return whole(t, node, v, to)
    v = t.as_int(v)
    low, high = bounds(to.name)
    if v.low < low or v.high > high:
        if v.type.is_weak:
            v = t.atom(v)
            least, greatest = integer(low), integer(high)
            t.check(node, f"{v.text} >= {least.text} && {v.text} <= {greatest.text}", OverflowError, f"an integer that does not fit in {to}")
            return Value(v.text, to, low, high, atom=True, wide=v.wide)
        return t.wrapped(v.with_type(to))
    return v.with_type(to)


def _holds_both(node, a: Type, b: Type) -> Type:
    """The type of Python that holds the numbers of two types as they are: which of them `min` or `max` gives is not known."""
    if a.is_float and b.is_float:
        return FLOAT
    if a.is_int and b.is_int:
        return INT
    raise Refused(node, "min or max of values of different types", "convert one of them: float(x)")


def _extreme(t, node, values: list[Value], greater: bool, numpys: bool) -> Value:
    """The greater or lesser of several, by the rule of Python (the first of equals) or NumPy (what is no number wins)."""
    result = values[0]
    for v in values[1:]:
        to = promote(node, result.type, v.type)
        if not numpys and result.type != v.type and result.constant is None and v.constant is None:
            to = _holds_both(node, result.type, v.type)
        a, b = t.atom(t.coerce(node, result, to)), t.atom(t.coerce(node, v, to))
        wide = a.wide or b.wide
        if wide:
            a, b = t.wide(a), t.wide(b)
        pick = max if greater else min
        low, high = pick(a.low, b.low), pick(a.high, b.high)
        if numpys and to.is_float:
            sign = ">=" if greater else "<="
            text = f"({a.text} {sign} {b.text} || {a.text} != {a.text} ? {a.text} : {b.text})"
        elif to.is_float:
            text = f"({b.text} {'>' if greater else '<'} {a.text} ? {b.text} : {a.text})"
        else:
            text = f"{'max' if greater else 'min'}({a.text}, {b.text})"
        result = Value(text, to, low, high, wide=wide)
    return result


def _absolute(t, node, v: Value) -> Value:
    v = t.as_int(v)
    if v.type.is_float:
        return Value(f"abs({v.text})", v.type)
    far = max(abs(v.low), abs(v.high))
    low = 0 if v.low <= 0 <= v.high else min(abs(v.low), abs(v.high))
    return t.wrapped(Value(f"abs({v.text})", v.type, low, min(far, HIGH), wide=v.wide))


def _sign(t, node, v: Value) -> Value:
    if not v.type.is_float:
        return Value(f"sign({v.text})", v.type, -1, 1, wide=v.wide)
    v = t.atom(v)
    return Value(f"({v.text} != {v.text} ? {v.text} : sign({v.text}))", v.type)


def _two_floats(t, node, name: str, a: Value, b: Value, numpys: bool) -> Value:
    to = promote(node, _float_type(a), _float_type(b)) if numpys else FLOAT
    if numpys and a.type.is_float != b.type.is_float or a.type.is_weak != b.type.is_weak:
        to = promote(node, a.type, b.type) if numpys else FLOAT
        to = Type("f8") if to.is_weak and numpys else to
    a, b = t.coerce(node, a, to), t.coerce(node, b, to)
    return Value(f"{name}({a.text}, {b.text})", to)


def _of_one(t, node, function, one: Value) -> Value | None:
    """A call with one number; `None` if the function is none of these."""
    found = _one_float(t, node, function, one)
    if found is not None:
        return found
    if function in (builtins.abs, numpy.abs, numpy.fabs):
        return _absolute(t, node, t.coerce(node, one, _float_type(one)) if function is numpy.fabs else one)
    if function is builtins.int:
        return convert(t, node, one, INT)
    if function is builtins.float:
        return t.coerce(node, t.as_int(one), FLOAT)
    if function is builtins.bool:
        return t.truth(one).with_type(BOOL)
    if function in CONVERSIONS:
        return convert(t, node, one, Type(CONVERSIONS[function]))
    if function is numpy.square:
        v = t.atom(one)
        return t.arithmetic(node, ast.Mult(), v, v)
    if function is numpy.sign:
        return _sign(t, node, one)
    if function is numpy.reciprocal and one.type.is_float:
        to = _float_type(one)
        return Value(f"({t.coerce(node, number(1.0), to).text} / {one.text})", to)
    if function in (numpy.deg2rad, numpy.radians, math.radians, numpy.rad2deg, numpy.degrees, math.degrees):
        to = FLOAT if function in (math.radians, math.degrees) else _float_type(one)
        into = function in (numpy.deg2rad, numpy.radians, math.radians)
        factor = t.coerce(node, number(math.pi / 180 if into else 180 / math.pi), to)
        return Value(f"({t.coerce(node, one, to).text} * {factor.text})", to)
    return None


#: Functions that are operators.
OPERATORS = {
    numpy.add: ast.Add, numpy.subtract: ast.Sub, numpy.multiply: ast.Mult, numpy.divide: ast.Div, numpy.power: ast.Pow,
    numpy.floor_divide: ast.FloorDiv, numpy.mod: ast.Mod, math.pow: ast.Pow,
}


def _of_two(t, node, function, a: Value, b: Value) -> Value | None:
    """A call with two numbers; `None` if the function is none of these."""
    if function in (numpy.minimum, numpy.maximum):
        return _extreme(t, node, [a, b], function is numpy.maximum, True)
    if function in (math.atan2, numpy.arctan2):
        return _two_floats(t, node, "atan2", a, b, function is numpy.arctan2)
    if function in (math.hypot, numpy.hypot):
        return _two_floats(t, node, "hypot", a, b, function is numpy.hypot)
    if function in OPERATORS:
        if function is math.pow:
            a, b = t.coerce(node, a, FLOAT), t.coerce(node, b, FLOAT)
        return t.arithmetic(node, OPERATORS[function](), a, b)
    return None


def call(t, node, function, values: list[Value]) -> Value | None:
    """A call with numbers; `None` if the function is not known."""
    try:
        hash(function)
    except TypeError:
        return None
    if isinstance(function, numpy.ufunc) and all(v.type.is_weak for v in values):
        # NumPy makes numbers of Python its own.
        values = [v.with_type(Type(STRONG[v.type.name])) for v in values]
    from . import complexes

    found = complexes.call(t, node, function, values)
    if found is not None or any(v.type.is_complex for v in values) and function not in complexes.GENERAL and function not in OPERATORS:
        return found
    found = _of_one(t, node, function, values[0]) if len(values) == 1 else None
    if found is not None:
        return found
    if function in (builtins.min, builtins.max) and len(values) > 1:
        return _extreme(t, node, values, function is builtins.max, False)
    from . import ufuncs

    found = ufuncs.call(t, node, function, values)
    if found is not None:
        return found
    if len(values) == 2:
        return _of_two(t, node, function, *values)
    if function is numpy.where and len(values) == 3:
        c, a, b = values
        to = promote(node, a.type, b.type) if a.type != b.type else a.type
        a, b = t.coerce(node, a, to), t.coerce(node, b, to)
        if a.wide or b.wide:
            a, b = t.wide(a), t.wide(b)
        return Value(f"({t.truth(c).text} ? {a.text} : {b.text})", to, min(a.low, b.low), max(a.high, b.high), wide=a.wide)
    return None

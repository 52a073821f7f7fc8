"""Functions of NumPy and `math` beyond those that the language has by itself: operators by name, and what `library` computes."""

from __future__ import annotations

import ast
import builtins
import math

import numpy

from . import library
from .functions import _extreme, _float_type, whole
from .types import BOOL, FLOAT, INT, Refused, Type, promote
from .value import Value, number

COMPARISONS = {
    numpy.less: ast.Lt, numpy.less_equal: ast.LtE, numpy.greater: ast.Gt, numpy.greater_equal: ast.GtE, numpy.equal: ast.Eq,
    numpy.not_equal: ast.NotEq,
}
OPERATORS = {
    numpy.bitwise_and: ast.BitAnd, numpy.bitwise_or: ast.BitOr, numpy.bitwise_xor: ast.BitXor, numpy.left_shift: ast.LShift,
    numpy.right_shift: ast.RShift,
}


def _called(t, node, function, values: list[Value]) -> Value:
    return t.call_jitted_with(node, function, values)[0]


def _doubles(t, node, values: list[Value]) -> list[Value]:
    return [t.atom(t.coerce(node, t.as_int(v), FLOAT)) for v in values]


def _from_library(t, node, function, values: list[Value]) -> Value | None:
    if function is numpy.fmod and not any(v.type.is_float for v in values):
        to = promote(node, *(v.type for v in values))
        found = _called(t, node, library.rest, [t.wide(t.as_int(v)).with_type(INT) for v in values])
        return t.coerce(node, found.with_type(to), to)
    if function in library.NUMPY:
        if any(v.type.name in ("i1", "u1", "b1", "bool") for v in values):
            raise Refused(node, "NumPy computes this in half precision", "convert the argument: float(x)")
        to = _float_type(values[0])
        for v in values[1:]:
            to = promote(node, to, _float_type(v))
        result = _called(t, node, library.NUMPY[function], _doubles(t, node, values))
        return t.coerce(node, result.with_type(FLOAT), to)
    if function in library.MATH:
        compute, holds = library.MATH[function]
        values = _doubles(t, node, values)
        if holds:
            v = values[0]
            t.check(node, f"{holds.format(v.text)} || {v.text} != {v.text}", ValueError, f"math domain error in {function.__name__}")
        return _called(t, node, compute, values)
    if function is math.fmod:
        a, b = _doubles(t, node, values)
        t.check(node, f"{b.text} != 0.0 && abs({a.text}) < inf", ValueError, "math domain error in fmod")
        return _called(t, node, library.NUMPY[numpy.fmod], [a, b])
    if function in library.INTEGERS:
        if any(v.type.is_float for v in values):
            raise Refused(node, "a divisor of floats")
        values = [t.as_int(v) for v in values]
        to = promote(node, values[0].type, values[1].type) if isinstance(function, numpy.ufunc) else INT
        found = _called(t, node, library.INTEGERS[function], [t.wide(v).with_type(INT) for v in values])
        return t.coerce(node, found.with_type(to), to)
    return None


def _of_one(t, node, function, v: Value) -> Value | None:
    if function in (numpy.isfinite, math.isfinite):
        kind = BOOL if function is math.isfinite else Type("b1")
        v = t.atom(v)
        return Value(f"({v.text} - {v.text} == 0.0)", kind, 0, 1) if v.type.is_float else Value("1", kind, 1, 1, True, True)
    if function is numpy.signbit:
        return _called(t, node, library.signbit, _doubles(t, node, [v])).with_type(Type("b1"))
    if function is numpy.logical_not:
        return Value(f"(!{t.truth(v).text})", Type("b1"), 0, 1)
    if function is numpy.invert:
        return t.complement(node, v)
    if function is numpy.negative:
        return t.negated(node, v)
    if function is numpy.positive and not v.type.is_bool:
        return v
    if function in (numpy.round, numpy.around) and v.type.is_float:
        return _from_library(t, node, numpy.rint, [v])
    if function is builtins.round:
        if not v.type.is_float:
            return t.as_int(v)
        return whole(t, node, _called(t, node, library.rint, _doubles(t, node, [v])), INT)
    return None


def call(t, node, function, values: list[Value]) -> Value | None:
    """A call with numbers; `None` if the function is not known here."""
    if len(values) == 1:
        found = _of_one(t, node, function, values[0])
        if found is not None:
            return found
    if len(values) == 2:
        a, b = values
        if function in (numpy.round, numpy.around):
            return _rounded(t, node, a, b)
        if function in COMPARISONS:
            return t.compared(node, COMPARISONS[function](), a, b).with_type(Type("b1"))
        if function in OPERATORS:
            return t.arithmetic(node, OPERATORS[function](), a, b)
        if function in (numpy.logical_and, numpy.logical_or):
            return Value(f"({t.truth(a).text} {'&&' if function is numpy.logical_and else '||'} {t.truth(b).text})", Type("b1"), 0, 1)
        if function is numpy.logical_xor:
            return Value(f"({t.truth(a).text} != {t.truth(b).text})", Type("b1"), 0, 1)
        if function in (numpy.fmin, numpy.fmax):
            return _fextreme(t, node, a, b, function is numpy.fmax)
        if function is builtins.pow:
            return t.arithmetic(node, ast.Pow(), a, b)
        if function is numpy.float_power:
            a, b = (t.coerce(node, t.as_int(v), Type("f8")) for v in values)
            return t.arithmetic(node, ast.Pow(), a, b)
        if function is math.log:
            top, bottom = (call_log(t, node, v) for v in values)
            return t.arithmetic(node, ast.Div(), top, bottom)
    if function is numpy.clip and len(values) == 3:
        low = _extreme(t, node, values[:2], True, True)
        return _extreme(t, node, [low, values[2]], False, True)
    return _from_library(t, node, function, values)


def _rounded(t, node, v: Value, decimals: Value) -> Value:
    """`numpy.round(v, decimals)`: the number times a power of ten, rounded."""
    if not isinstance(decimals.constant, int) or abs(decimals.constant) > 22 or not v.type.is_float:
        raise Refused(node, "numbers are rounded to a constant number of decimals", "convert integers: float(x)")
    to = Type("f8") if v.type.is_weak else v.type
    scale = t.coerce(node, number(10.0**abs(decimals.constant)), to)
    first, last = (ast.Mult(), ast.Div()) if decimals.constant > 0 else (ast.Div(), ast.Mult())
    whole = _from_library(t, node, numpy.rint, [t.arithmetic(node, first, t.coerce(node, v, to), scale)])
    return whole if decimals.constant == 0 else t.arithmetic(node, last, whole, scale)


def call_log(t, node, v: Value) -> Value:
    """`math.log(v)`."""
    from . import functions

    return functions.call(t, node, math.log, [v])


def _fextreme(t, node, a: Value, b: Value, greater: bool) -> Value:
    """The greater or lesser of two, where what is no number loses."""
    to = promote(node, a.type, b.type) if a.type != b.type else a.type
    if not to.is_float:
        return _extreme(t, node, [a, b], greater, True)
    a, b = t.atom(t.coerce(node, a, to)), t.atom(t.coerce(node, b, to))
    sign = ">=" if greater else "<="
    return Value(f"({a.text} {sign} {b.text} || {b.text} != {b.text} ? {a.text} : {b.text})", to)

"""Complex numbers: their arithmetic, and the functions of Python, `cmath` and NumPy that take or give them."""

from __future__ import annotations

import ast
import builtins
import cmath

import numpy

from .types import BOOL, COMPLEX, FLOAT, STRONG, Refused, Type, part_of, promote
from .value import Value, imaginary, number

#: Functions of one complex number, by the function of NumPy and of `cmath`: how Quasar calls them.
SAME = {
    numpy.exp: "exp", numpy.log: "log", numpy.sqrt: "sqrt", numpy.sin: "sin", numpy.cos: "cos", numpy.sinh: "sinh", numpy.cosh: "cosh",
    numpy.tan: "tan", numpy.tanh: "tanh",
}
CMATH = {
    cmath.exp: "exp", cmath.log: "log", cmath.sqrt: "sqrt", cmath.sin: "sin", cmath.cos: "cos", cmath.sinh: "sinh", cmath.cosh: "cosh",
    cmath.tan: "tan", cmath.tanh: "tanh",
}
REAL = {numpy.abs: "abs", builtins.abs: "abs", numpy.real: "real", numpy.imag: "imag", numpy.angle: "angle"}
TESTS = {numpy.isnan, numpy.isinf, numpy.isfinite, cmath.isnan, cmath.isinf, cmath.isfinite}
#: Functions of any numbers.
GENERAL = {builtins.bool, builtins.pow, numpy.where, numpy.equal, numpy.not_equal, numpy.logical_and, numpy.logical_or, numpy.logical_not, numpy.logical_xor}
#: What `numpy.zeros` and others would convert to.
KINDS = {numpy.complex64: "c8", numpy.complex128: "c16"}
#: Functions that order numbers or cut them to whole ones.
ORDERED = {builtins.min, builtins.max, numpy.minimum, numpy.maximum, numpy.fmin, numpy.fmax, numpy.sign, numpy.floor, numpy.ceil, numpy.trunc, numpy.rint}


class Complexes:
    """Part of the translator."""

    def to_complex(self, node, v: Value, to: Type) -> Value:
        """The value as one of a complex type."""
        if v.constant is not None:
            return self._of_precision(imaginary(complex(v.constant), to), to)
        if v.type.is_complex:
            known = {"c8": 32}.get(v.type.name, 64) == {"c8": 32}.get(to.name, 64)
            return v.with_type(to) if known else self._of_precision(v, to)
        v = self.coerce(node, self.as_int(v), part_of(to))
        return self._of_precision(Value(f"complex({v.text}, 0.0)", to), to)

    def _of_precision(self, v: Value, to: Type) -> Value:
        """What Quasar computes in double precision has single precision only in a variable of it."""
        return self.declared(self.quasar(v.with_type(to)), v.with_type(to))

    def complex_arithmetic(self, node, op, a: Value, b: Value) -> Value:
        """`a op b` where one is complex."""
        to = promote(node, a.type, b.type)
        if isinstance(op, ast.Pow):
            return self._complex_power(node, a, b, to)
        signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
        if type(op) not in signs:
            raise Refused(node, "complex numbers have no whole quotients, remainders or bits", "use z.real, z.imag or abs(z)")
        if isinstance(op, ast.Div) and to.is_weak:
            b = self._not_zero(node, b)
        a, b = self._operand(node, a, to), self._operand(node, b, to)
        return Value(f"({a.text} {signs[type(op)]} {b.text})", to)

    def _operand(self, node, v: Value, to: Type) -> Value:
        """A part of complex arithmetic: a real number stays real, which saves half of the work."""
        return self.coerce(node, v, to if v.type.is_complex else part_of(to))

    def _complex_power(self, node, a: Value, b: Value, to: Type) -> Value:
        n = b.constant
        if n is not None and not isinstance(n, complex) and n == int(n) and abs(n) < 100:
            power, base, left = None, self.atom(self.to_complex(node, a, to)), abs(int(n))
            while left:
                if left & 1:
                    power = base if power is None else self.atom(self.complex_arithmetic(node, ast.Mult(), power, base))
                left >>= 1
                base = self.atom(self.complex_arithmetic(node, ast.Mult(), base, base)) if left else base
            power = power or self.to_complex(node, number(1.0), to)
            return power if n >= 0 else self.complex_arithmetic(node, ast.Div(), number(1.0), power)
        a, b = self.atom(self.to_complex(node, a, to)), self.atom(self.to_complex(node, b, to))
        # Zero has no logarithm.
        one, zero = imaginary(1, to).text, imaginary(0, to).text
        text = f"({a.text} == 0.0 ? ({b.text} == 0.0 ? {one} : {zero}) : exp({b.text}*log({a.text})))"
        return self._of_precision(Value(text, to), to)

    def complex_part(self, node, v: Value, name: str) -> Value | None:
        """`z.real`, `z.imag`, `z.conjugate()`."""
        if name in ("conjugate", "conj"):
            return Value(f"conj({v.text})", v.type) if v.type.is_complex else self.as_int(v)
        if v.type.is_complex:
            return Value(f"{name}({v.text})", part_of(v.type))
        return self.as_int(v) if name == "real" else self.coerce(node, number(0.0), v.type) if v.type.is_float else Value("0", v.type, 0, 0, 0, True)


def _converted(t, node, function, values: list[Value]) -> Value | None:
    """`complex(x)`, `complex(x, y)`, `numpy.complex64(x)`."""
    if function is builtins.complex:
        to = COMPLEX
    elif function in KINDS:
        to = Type(KINDS[function])
    else:
        return None
    if len(values) == 1:
        return t.to_complex(node, t.as_int(values[0]), to)
    if len(values) != 2 or any(v.type.is_complex for v in values):
        raise Refused(node, "a complex number is made of one number, or of two real ones")
    re, im = (t.coerce(node, t.as_int(v), FLOAT) for v in values)
    return t._of_precision(Value(f"complex({re.text}, {im.text})", to), to)


def call(t, node, function, values: list[Value]) -> Value | None:
    """A call that takes or gives complex numbers; `None` for others."""
    made = _converted(t, node, function, values)
    if made is not None:
        return made
    if function is cmath.rect and len(values) == 2:
        r, angle = (t.atom(t.coerce(node, t.as_int(v), FLOAT)) for v in values)
        return Value(f"complex({r.text}*cos({angle.text}), {r.text}*sin({angle.text}))", COMPLEX)
    if function in (numpy.round, numpy.around) and values[0].type.is_complex:
        from .functions import call as plain

        v = t.atom(values[0])
        parts = [plain(t, node, function, [t.complex_part(node, v, part), *values[1:]]) for part in ("real", "imag")]
        to = Type(STRONG.get(v.type.name, v.type.name))
        return t._of_precision(Value(f"complex({parts[0].text}, {parts[1].text})", to), to)
    if len(values) != 1:
        return _refused(node, function, values)
    v = values[0]
    if function in CMATH or function is cmath.phase:
        v = t.atom(t.to_complex(node, t.as_int(v), COMPLEX))
        if function is cmath.log:
            t.check(node, f"{v.text} != 0.0", ValueError, "math domain error in log")
        return Value(f"angle({v.text})", FLOAT) if function is cmath.phase else Value(f"{CMATH[function]}({v.text})", COMPLEX)
    if function in (numpy.real, numpy.imag, numpy.conjugate):
        return t.complex_part(node, v, function.__name__)
    if not v.type.is_complex:
        return None
    if function in SAME:
        return Value(f"{SAME[function]}({v.text})", v.type)
    if function in REAL:
        return Value(f"{REAL[function]}({v.text})", part_of(v.type))
    if function in TESTS:
        return _test(t, function, t.atom(v))
    if function is numpy.square:
        v = t.atom(v)
        return t.arithmetic(node, ast.Mult(), v, v)
    if function is numpy.reciprocal:
        return t.arithmetic(node, ast.Div(), number(1.0), v)
    if function is numpy.negative:
        return t.negated(node, v)
    if function is numpy.positive:
        return v
    return _refused(node, function, values)


def _test(t, function, v: Value) -> Value:
    kind = BOOL if function in (cmath.isnan, cmath.isinf, cmath.isfinite) else Type("b1")
    parts = f"real({v.text})", f"imag({v.text})"
    if function in (numpy.isnan, cmath.isnan):
        return Value(f"({v.text} != {v.text})", kind, 0, 1)
    if function in (numpy.isinf, cmath.isinf):
        return Value(f"({' || '.join(f'abs({p}) == inf' for p in parts)})", kind, 0, 1)
    return Value(f"({' && '.join(f'{p} - {p} == 0.0' for p in parts)})", kind, 0, 1)


def _refused(node, function, values: list[Value]) -> None:
    if not any(v.type.is_complex for v in values):
        return None
    if function in ORDERED:
        raise Refused(node, "complex numbers have no order", "compare abs(z), z.real or z.imag")
    if function in (builtins.int, builtins.float) or function in (numpy.float32, numpy.float64):
        raise Refused(node, "a complex number becomes a real one", "use z.real or abs(z)")
    if getattr(function, "__module__", "") == "math":
        raise Refused(node, f"'math.{function.__name__}' of a complex number", "take the function of cmath or NumPy, or z.real")
    return None

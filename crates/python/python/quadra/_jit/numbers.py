"""Arithmetic on numbers, with the results of Python and NumPy."""

from __future__ import annotations

import ast
import math

import numpy

from .types import BOOL, FLOAT, HIGH, INT, LOW, Refused, Type, bounds, promote
from .value import SMALL, Value, imaginary, integer, number


def _clipped(low: int, high: int) -> tuple[int, int]:
    return (low, high) if LOW <= low and high <= HIGH else (LOW, HIGH)


class Numbers:
    """Part of the translator; it emits statements through `emit`, `atom` and `check` of the whole."""

    def as_int(self, v: Value) -> Value:
        """A truth value as an integer."""
        return Value(v.text, INT, max(v.low, 0), min(v.high, 1), v.constant, v.atom) if v.type.is_bool else v

    def coerce(self, node, v: Value, to: Type) -> Value:
        """The value as a value of another type."""
        if v.type == to:
            return v
        if to.is_complex:
            return self.to_complex(node, v, to)
        if v.type.is_complex:
            raise Refused(node, f"{v.type} becomes {to} here", "use z.real or abs(z)")
        if to.is_float:
            return self._to_float(v, to)
        if v.type.is_float:
            raise Refused(node, f"{v.type} becomes {to} here", "convert it: int(x)")
        if to.is_bool:
            return v.with_type(to) if v.type.is_bool else Value(f"({v.text} != 0)", to, 0, 1)
        low, high = bounds(to.name)
        if v.low < low or v.high > high:
            if v.constant is not None:
                raise Refused(node, f"{v.constant} does not fit in {to}")
            if not v.type.is_weak:
                return self.wrapped(v.with_type(to))
            raise Refused(node, f"an integer of Python that may not fit in {to}", f"convert it: numpy.{to}(x), or int(y) of the other one")
        return v.with_type(to)

    def _to_float(self, v: Value, to: Type) -> Value:
        if v.constant is not None and not isinstance(v.constant, bool):
            try:
                v = number(float(numpy.float32(v.constant)) if to.name == "f4" else float(v.constant), to)
            except OverflowError:
                v = number(math.inf, to)
        elif not v.type.is_float:
            v = Value(f"float({v.text})", to)
        if to.name == "f4":
            # The value of single precision; conversions by name would keep loops from being parallel.
            return self.declared("scalar'single", v.with_type(to))
        if v.type.name == "f4":
            return self.declared("scalar'double", v.with_type(to))
        return v.with_type(to)

    def wide(self, v: Value) -> Value:
        """An integer that is computed with 64 bits."""
        return v if v.wide else Value(f"int64({v.text})", v.type, v.low, v.high, v.constant, False, True)

    def narrow(self, v: Value, node) -> Value:
        """An integer that is computed with 32 bits: indices and bounds of loops."""
        if not v.wide:
            return v
        # The conversion is an error where it needs more.
        return Value(f"int({v.text})", v.type, max(v.low, -SMALL), min(v.high, SMALL), v.constant)

    def wrapped(self, v: Value) -> Value:
        """An integer cut to the bits of its type, as NumPy does."""
        low, high = bounds(v.type.name)
        if v.type.is_weak or v.type.name == "i8" or low <= v.low and v.high <= high:
            return v
        span = high - low + 1
        # The remainder has the sign of the divisor.
        if low == 0:
            modulus = integer(span)
            v = self.wide(v) if modulus.wide else v
            return Value(f"mod({v.text}, {modulus.text})", v.type, low, high, wide=v.wide)
        if v.type.name == "i4" and v.wide:
            return Value(f"int'unchecked({v.text})", v.type, low, high)
        half, modulus = integer(-low), integer(span)
        wide = modulus.wide or half.wide or v.wide
        v = self.wide(v) if wide else v
        text = f"(mod({v.text} + {half.text}, {modulus.text}) - {half.text})"
        return Value(text, v.type, low, high, wide=wide)

    def _fitting(self, node, v: Value, to: Type) -> Value:
        """An operand as an integer of this type; one of Python that does not fit ends the function, as in NumPy."""
        low, high = bounds(to.name)
        if not v.type.is_weak or to.is_weak or v.type.is_bool or v.constant is not None or low <= v.low and v.high <= high:
            return self.coerce(node, v, to)
        v = self.atom(v)
        least, greatest = integer(low), integer(high)
        self.check(node, f"{v.text} >= {least.text} && {v.text} <= {greatest.text}", OverflowError, f"an integer of Python that is out of bounds for {to}")
        v = Value(v.text, to, max(low, v.low), min(high, v.high), atom=True, wide=v.wide)
        return self.atom(self.narrow(v, node)) if v.wide and -SMALL <= v.low and v.high <= SMALL else v

    def arithmetic(self, node, op, a: Value, b: Value) -> Value:
        """`a op b` for numbers."""
        a, b = (self.as_int(v) if v.type.name == "bool" else v for v in (a, b))
        if a.type.is_complex or b.type.is_complex:
            return self.complex_arithmetic(node, op, a, b)
        if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)):
            return self._bits(node, op, a, b)
        if isinstance(op, ast.Div):
            return self._quotient(node, a, b)
        if isinstance(op, ast.Pow):
            return self._power(node, a, b)
        to = promote(node, a.type, b.type)
        if to.is_bool:
            raise Refused(node, "truth values of NumPy are combined by arithmetic", "convert them: int(x)")
        if to.is_float:
            return self._floats(node, op, a, b, to)
        a, b = self._fitting(node, a, to), self._fitting(node, b, to)
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            return self._whole_quotient(node, op, a, b)
        signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
        if type(op) not in signs:
            raise Refused(node, "this operator is not in the subset")
        if isinstance(op, ast.Add):
            low, high = a.low + b.low, a.high + b.high
        elif isinstance(op, ast.Sub):
            low, high = a.low - b.high, a.high - b.low
        else:
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            low, high = min(corners), max(corners)
        if a.constant is not None and b.constant is not None and LOW <= low and high <= HIGH:
            return self.wrapped(integer(low, to)) if low == high else integer(low, to)
        wide = a.wide or b.wide or low < -SMALL or high > SMALL
        if wide:
            a, b = self.wide(a), self.wide(b)
        if not isinstance(op, ast.Mult) and min(max(abs(v.low), abs(v.high)) for v in (a, b)) <= SMALL + 1:
            # Counting does not come to the end of 64 bits.
            low, high = max(low, LOW), min(high, HIGH)
        low, high = _clipped(low, high)
        return self.wrapped(Value(f"({a.text} {signs[type(op)]} {b.text})", to, low, high, wide=wide))

    def _floats(self, node, op, a: Value, b: Value, to: Type) -> Value:
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            return self._float_quotient(node, op, a, b, to)
        a, b = self.coerce(node, a, to), self.coerce(node, b, to)
        signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
        if type(op) not in signs:
            raise Refused(node, "this operator is not in the subset")
        return Value(f"({a.text} {signs[type(op)]} {b.text})", to)

    def _float_quotient(self, node, op, a: Value, b: Value, to: Type) -> Value:
        """`a // b` or `a % b`. By a power of two the rounded quotient has no error."""
        if to.is_weak:
            b = self._not_zero(node, b)
        if b.constant is not None and b.constant > 0 and math.frexp(b.constant)[0] == 0.5:
            a, b = self.coerce(node, a, to), self.coerce(node, b, to)
            if isinstance(op, ast.FloorDiv):
                return Value(f"floor({a.text} / {b.text})", to)
            a = self.atom(a)
            return Value(f"({a.text} - floor({a.text} / {b.text})*{b.text})", to)
        a, b = (self.atom(self.coerce(node, v, FLOAT)) for v in (a, b))
        from . import library

        function = library.floor_divide if isinstance(op, ast.FloorDiv) else library.modulo
        return self.coerce(node, self.call_jitted_with(node, function, [a, b])[0], to)

    def _quotient(self, node, a: Value, b: Value) -> Value:
        if a.type.is_float or b.type.is_float:
            to = promote(node, a.type, b.type)
        else:
            both = a.type.is_weak and b.type.is_weak
            small = {t.name for t in (a.type, b.type)} <= {"i2", "u2", "i1", "u1"} and not both
            to = FLOAT if both else Type("f4" if small and {a.type.name, b.type.name} & {"i2", "u2"} else "f8")
        if a.type.is_weak and b.type.is_weak:
            b = self._not_zero(node, b)
        a, b = self.coerce(node, a, to), self.coerce(node, b, to)
        return Value(f"({a.text} / {b.text})", to)

    def _not_zero(self, node, b: Value) -> Value:
        if b.constant is not None and b.constant != 0 or b.type.is_int and (b.low > 0 or b.high < 0):
            return b
        b = self.atom(b)
        self.check(node, f"{b.text} != 0", ZeroDivisionError, "division by zero")
        return b

    def _whole_quotient(self, node, op, a: Value, b: Value) -> Value:
        b = self._not_zero(node, b)
        wide = a.wide or b.wide
        if wide:
            a, b = self.wide(a), self.wide(b)
        if isinstance(op, ast.Mod):
            low, high = (0, b.high - 1) if b.low > 0 else (min(b.low + 1, 0), max(b.high - 1, 0))
            if b.low > 0 and a.low >= 0:
                high = min(high, a.high)
            return Value(f"mod({a.text}, {b.text})", a.type, low, high, wide=wide)
        a, b = self.atom(a), self.atom(b)
        if b.low > 0:
            ends = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]
            low, high = min(ends), max(ends)
        else:
            far = max(abs(a.low), abs(a.high))
            low, high = _clipped(-far, far)
        text = f"idivide({a.text} - mod({a.text}, {b.text}), {b.text})"
        if a.low >= 0 and b.low > 0:
            text = f"idivide({a.text}, {b.text})"
        return self.wrapped(Value(text, a.type, low, high, wide=wide))

    def _power(self, node, a: Value, b: Value) -> Value:
        if not a.type.is_float and not b.type.is_float:
            if b.constant is None or not 0 <= b.constant <= 64 or not b.type.is_weak:
                return self._whole_power(node, a, b)
            result, a = integer(1, a.type), self.atom(a)
            for n in range(b.constant):
                result = a if n == 0 else self.arithmetic(node, ast.Mult(), self.atom(result), a)
            return result
        to = promote(node, a.type, b.type)
        a = self.coerce(node, a, to)
        if b.constant == 2:
            a = self.atom(a)
            return Value(f"({a.text}*{a.text})", to)
        if to.is_weak and (b.constant is None or b.constant != int(b.constant)):
            a = self.atom(a)
            self.check(node, f"{a.text} >= 0", ValueError, "a negative number to a power that may be no integer")
        b = self.coerce(node, b, to)
        return Value(f"pow({a.text}, {b.text})", to)

    def _whole_power(self, node, a: Value, b: Value) -> Value:
        from . import library

        to = promote(node, a.type, b.type)
        b = self.atom(self.as_int(b))
        if b.low < 0:
            self.check(node, f"{b.text} >= 0", ValueError, "an integer to a negative power: make the base a float")
        given = [self.wide(self.as_int(a)).with_type(Type("i8")), self.wide(b).with_type(Type("i8"))]
        found = self.call_jitted_with(node, library.power, given)[0]
        if to.is_weak:
            return found.with_type(to)
        return self.wrapped(found.with_type(to))

    def _bits(self, node, op, a: Value, b: Value) -> Value:
        if a.type.is_float or b.type.is_float:
            raise Refused(node, "bits of floats")
        names = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
        if type(op) in names:
            to = a.type if a.type == b.type else promote(node, a.type, b.type)
            if not to.is_bool:
                a, b = self._fitting(node, a, to), self._fitting(node, b, to)
            wide = a.wide or b.wide
            if wide:
                a, b = self.wide(a), self.wide(b)
            low, high = bounds(to.name)
            if a.low >= 0 and b.low >= 0:
                low, high = 0, (1 << max(a.high, b.high).bit_length()) - 1
            if isinstance(op, ast.BitAnd) and (a.low >= 0 or b.low >= 0):
                low, high = 0, min(v.high for v in (a, b) if v.low >= 0)
            elif not wide and low < -SMALL - 1:
                low, high = -SMALL - 1, SMALL
            return Value(f"{names[type(op)]}({a.text}, {b.text})", to, low, high, wide=wide)
        a, b = self.as_int(a), self.as_int(b)
        to = promote(node, a.type, b.type)
        n = b.constant
        if n is None:
            return self._shifted(node, op, a, b, to)
        if not 0 <= n < 63:
            raise Refused(node, "a shift by more than 62")
        if isinstance(op, ast.LShift):
            return self.arithmetic(node, ast.Mult(), a, integer(1 << n))
        a = self.coerce(node, a, to)
        return Value(f"shr({a.text}, {n})" if n else a.text, to, a.low >> n, a.high >> n, wide=a.wide)

    def _shifted(self, node, op, a: Value, b: Value, to: Type) -> Value:
        """A shift by a number that is not known."""
        b = self.atom(b)
        self.check(node, f"{b.text} >= 0 && {b.text} <= 62", ValueError, "a shift by a negative number, or by more than 62")
        b = Value(b.text, INT, max(b.low, 0), min(b.high, 62), atom=True, wide=b.wide)
        factor = self._whole_power(node, integer(2), b).with_type(INT)
        factor = Value(factor.text, INT, 1, 2**62, atom=factor.atom, wide=True)
        if isinstance(op, ast.RShift):
            return self._whole_quotient(node, ast.FloorDiv(), self.coerce(node, a, to), factor.with_type(to))
        product = Value(f"({self.wide(a).text} * {factor.text})", to, wide=True)
        return self.wrapped(product)

    def negated(self, node, v: Value) -> Value:
        v = self.as_int(v) if v.type.name == "bool" else v
        if v.type.name == "b1":
            raise Refused(node, "a negative truth value")
        if v.type.is_complex:
            return imaginary(-v.constant, v.type) if v.constant is not None else Value(f"(-{v.text})", v.type)
        if v.type.is_float:
            return number(-v.constant, v.type) if v.constant is not None else Value(f"(-{v.text})", v.type)
        return self.arithmetic(node, ast.Sub(), integer(0), v)

    def truth(self, v: Value) -> Value:
        """Whether a number counts as true."""
        if v.type.is_bool:
            return v
        if v.constant is not None:
            return Value(str(int(bool(v.constant))), BOOL, constant=bool(v.constant), atom=True)
        return Value(f"({v.text} != {'0' if v.type.is_int else '0.0'})", BOOL, 0, 1)

    def compared(self, node, op, a: Value, b: Value) -> Value:
        signs = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
        if type(op) not in signs:
            raise Refused(node, "a comparison that is not <, <=, >, >=, == or !=")
        strong = not (a.type.is_weak and b.type.is_weak)
        a, b = self.as_int(a), self.as_int(b)
        if a.type.is_complex or b.type.is_complex:
            if not isinstance(op, (ast.Eq, ast.NotEq)):
                raise Refused(node, "complex numbers have no order", "compare abs(z), z.real or z.imag")
            to = promote(node, a.type, b.type)
            a, b = self._operand(node, a, to), self._operand(node, b, to)
        elif a.type.is_float or b.type.is_float:
            to = promote(node, a.type, b.type)
            a, b = self.coerce(node, a, to), self.coerce(node, b, to)
        elif a.wide or b.wide:
            a, b = self.wide(a), self.wide(b)
        return Value(f"({a.text} {signs[type(op)]} {b.text})", Type("b1") if strong else BOOL, 0, 1)

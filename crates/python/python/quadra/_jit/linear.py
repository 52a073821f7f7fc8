"""Functions of `numpy.linalg` on matrices, by those that the language has."""

from __future__ import annotations

import ast

import numpy

from . import rearranged
from .arrays import Array
from .types import Refused, Type, checked_array
from .value import Known, Value, integer

#: By function: how Quasar calls it, and how many arrays it takes.
NAMES = {
    numpy.linalg.inv: ("inv", 1), numpy.linalg.pinv: ("pinv", 1), numpy.linalg.det: ("det", 1), numpy.linalg.cholesky: ("chol", 1),
    numpy.linalg.solve: ("solve", 2),
}


class Linear:
    """Part of the translator."""

    def linear_called(self, node, function):
        """A call of a function of `numpy.linalg`: a matrix, a vector or a number; `None` for others."""
        if function in (numpy.linalg.eigh, numpy.linalg.eigvalsh, numpy.linalg.lstsq):
            return self._decomposed(node, function)
        try:
            name, count = NAMES.get(function, (None, 0))
        except TypeError:
            return None
        if name is None:
            return None
        values = [self.expression(a) for a in node.args]
        fits = len(values) == count and not node.keywords and all(isinstance(v, Array) and not v.type.is_complex for v in values)
        if not fits or values[0].type.ndim != 2 or values[-1].type.ndim > 2:
            raise Refused(node, f"'{ast.unparse(node.func)}' with these arguments is not in the subset", "it takes matrices of real numbers")
        single = all(v.type.name == "f4" for v in values)
        to = Type("f4" if single else "f8")
        values = [self.materialised(node, v if v.type.name == to.name else self.each(node, [v], lambda v: self.coerce(node, self.as_int(v), to))) for v in values]
        n = [self.length(values[0], k) for k in range(2)]
        if name != "pinv":
            self.check(node, f"{n[0].text} == {n[1].text}", numpy.linalg.LinAlgError, "Last 2 dimensions of the array must be square")
        if name == "det":
            return self.declared(self.quasar(Value("", to)), Value(f"det({values[0].name})", to))
        if name == "solve":
            return self._solved(node, *values)
        lengths = n[::-1] if name == "pinv" else n
        return self._computed(node, Type(to.name, 2), f"{name}({values[0].name})", lengths)

    def _decomposed(self, node, function):
        """`numpy.linalg.eigh` and `eigvalsh` of a real matrix, of which the lower half counts; `lstsq`, whose first result alone is known."""
        values = [self.expression(a) for a in node.args[:2]]
        count = 2 if function is numpy.linalg.lstsq else 1
        fits = len(values) == count and all(isinstance(v, Array) and not v.type.is_complex and v.type.name != "f4" for v in values)
        # The limit below which singular values count as 0 is the usual one.
        usual = all(k.arg == "rcond" and isinstance(k.value, ast.Constant) and k.value.value is None for k in node.keywords)
        if not fits or not usual or len(node.args) > count or values[0].type.ndim != 2:
            raise Refused(node, f"'{ast.unparse(node.func)}' with these arguments is not in the subset", "it takes matrices of doubles, and nothing else")
        to = Type("f8")
        values = [self.materialised(node, v if v.type.name == "f8" else self.each(node, [v], lambda v: self.coerce(node, self.as_int(v), to))) for v in values]
        n = [self.length(values[0], k) for k in range(2)]
        if count == 2:
            inverse = self._computed(node, Type("f8", 2), f"pinv({values[0].name})", n[::-1])
            return [self.dot(node, inverse, values[1]), Known(None), Known(None), Known(None)]
        self.check(node, f"{n[0].text} == {n[1].text}", numpy.linalg.LinAlgError, "Last 2 dimensions of the array must be square")
        whole = self.call_jitted_with(node, rearranged.from_lower_half, values)[0]
        vectors, found = self.fresh(), self.fresh()
        self.emit(node, f"[{vectors}, {found}] = symeig({whole.name})")
        least = self.allocated(node, Type("f8", 1), [n[0]])
        self.loops(node, [n[0]], lambda i: self.emit(node, f"{least.name}[{i[0].text}] = {found}[{i[0].text}]"))
        if function is numpy.linalg.eigvalsh:
            return least
        name = self.fresh()
        self.emit(node, f"{name} : {checked_array('f8', 2)} = {vectors}")
        return [least, Array(Type("f8", 2), name)]

    def _computed(self, node, type: Type, text: str, lengths: list) -> Array:
        name = self.fresh()
        self.emit(node, f"{name} : {checked_array(type.name, 2)} = {text}")
        return self.named(type, name, frozenset(k for k, v in enumerate(lengths) if v.constant == 1))

    def _solved(self, node, a: Array, b: Array) -> Array:
        rows = self.length(b, 0)
        self.check(node, f"{rows.text} == {self.length(a, 0).text}", ValueError, "as many right sides as the matrix has rows are needed")
        if b.type.ndim == 2:
            return self._computed(node, b.type, f"{a.name} \\ {b.name}", [rows, self.length(b, 1)])
        column = self.allocated(node, Type(b.type.name, 2), [rows, integer(1)])
        self.loops(node, [rows], lambda i: self.emit(node, f"{column.name}[{i[0].text},0] = {b.name}[{i[0].text}]"))
        x = self._computed(node, column.type, f"{a.name} \\ {column.name}", [rows, integer(1)])
        found = self.allocated(node, b.type, [rows])
        self.loops(node, [rows], lambda i: self.emit(node, f"{found.name}[{i[0].text}] = {x.name}[{i[0].text},0]"))
        return found

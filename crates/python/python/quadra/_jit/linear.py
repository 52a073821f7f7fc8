"""Functions of `numpy.linalg` on matrices, by those that the language has."""

from __future__ import annotations

import ast

import numpy

from .arrays import Array
from .types import Refused, Type, checked_array
from .value import Value, integer

#: By function: how Quasar calls it, and how many arrays it takes.
NAMES = {
    numpy.linalg.inv: ("inv", 1), numpy.linalg.pinv: ("pinv", 1), numpy.linalg.det: ("det", 1), numpy.linalg.cholesky: ("chol", 1),
    numpy.linalg.solve: ("solve", 2),
}


class Linear:
    """Part of the translator."""

    def linear_called(self, node, function):
        """A call of a function of `numpy.linalg`: a matrix, a vector or a number; `None` for others."""
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

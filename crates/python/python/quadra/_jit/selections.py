"""Elements of an array that another array chooses: where a condition holds, or at positions."""

from __future__ import annotations

import ast

import numpy

from . import rearranged
from .arrays import Array
from .types import INT, Refused, Type
from .value import Value, integer


class Selections:
    """Part of the translator."""

    def chosen(self, node, base: Array, index: Array) -> Array:
        """`base[index]`, in an array of its own."""
        if index.type.is_bool and index.type.ndim == base.type.ndim:
            return self._where(node, base, index)
        if index.type.is_int and base.type.ndim == 1:
            base = self.materialised(node, base)
            return self.materialised(node, self.each(node, [index], lambda i: self.at(node, base, [i])))
        raise Refused(
            node, "arrays as indices are truth values for all elements, or positions in an array with one dimension",
            "write a loop over them",
        )

    def _where(self, node, base: Array, mask: Array) -> Array:
        base, mask = self.materialised(node, base), self.materialised(node, mask)
        self.common(node, [base, mask], base.type.ndim)
        made = self.allocated(node, Type(base.type.name, 1), [self.reduced(node, "count", mask)])
        at = self.fresh()
        self.emit(node, f"{at} : int = 0")

        def body(indices):
            self.emit(node, f"if {self.truth(self.at(node, mask, indices)).text}")
            self.emit(node, f"{made.name}[{at}] = {self.stored(self.at(node, base, indices), made.type, node)}")
            self.emit(node, f"{at} += 1")
            self.emit(node, "endif")

        self.loops(node, [self.length(base, k) for k in range(base.type.ndim)], body)
        return made

    def unpacked(self, node, a: Array, count: int) -> list:
        """The elements of an array with one dimension, as many as there are names for them."""
        if a.type.ndim != 1:
            raise Refused(node, "an array with several dimensions is no tuple", "index it: a = x[0]")
        self.check(node, f"{self.length(a, 0).text} == {count}", ValueError, f"an array that has not {count} elements is given {count} names")
        return [self.at(node, a, [integer(k)]) for k in range(count)]

    def rearranged(self, node, function):
        """A call of a function of `rearranged`: an array, or a list of arrays; `None` for others."""
        try:
            if function not in rearranged.NAMES:
                return None
        except TypeError:
            return None
        name = ast.unparse(node.func)
        values = [self.expression(a) for a in node.args]
        ndim = values[0].type.ndim or 0 if values and isinstance(values[0], (Array, Value)) else None
        if function is numpy.nonzero and ndim == 1:
            # A tuple with one array.
            function = numpy.flatnonzero
            found = self._rearranged(node, values, *rearranged.FUNCTIONS[function, 1])
            return None if found is None else [found]
        known = rearranged.FUNCTIONS.get((function, ndim))
        found = self._rearranged(node, values, *known) if known is not None else None
        if found is None:
            raise Refused(node, f"'{name}' with these arguments is not in the subset", "write a loop, or call it outside")
        return found

    def _rearranged(self, node, values: list, count: int, arrays: int, compute):
        if node.keywords or len(values) != count or any(isinstance(v, Array) != (k < arrays) for k, v in enumerate(values)):
            return None
        passed = []
        for k, v in enumerate(values):
            if k < arrays:
                passed.append(self.materialised(node, v))
                continue
            v = self.as_int(v)
            if compute in (rearranged.percentile, rearranged.quantile):
                v = self.atom(self.coerce(node, v, Type("float")))
                limit = 100.0 if compute is rearranged.percentile else 1.0
                self.check(node, f"{v.text} >= 0.0 && {v.text} <= {limit}", ValueError, "a part of a distribution outside of it")
            elif v.type.is_float:
                raise Refused(node, "an integer is needed here", "convert it: int(x)")
            else:
                v = self.atom(self.narrow(v, node).with_type(INT))
                if compute is not rearranged.roll:
                    self.check(node, f"{v.text} >= 0", ValueError, "a negative number of elements")
            passed.append(v)
        found = self.call_jitted_with(node, compute, passed)
        strong = [f.with_type(Type("f8")) if isinstance(f, Value) and f.type.name == "float" else f for f in found]
        return strong[0] if len(strong) == 1 else strong

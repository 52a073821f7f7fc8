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

    def chosen(self, node, base: Array, parts: list) -> Array:
        """`base[…]` with arrays among the indices, in an array of its own."""
        if self._is_mask(base, parts):
            return self._where(node, base, parts[0])
        base = self.materialised(node, base)
        lengths, places = self._selection(node, base, parts)
        uses = frozenset([base.name])
        return self.materialised(node, Array(Type(base.type.name, len(lengths)), None, None, lengths, lambda i: self.at(node, base, places(i)), uses))

    def taken(self, node, function):
        """`numpy.take` of elements of an array with one dimension, or of rows; `None` for others."""
        if function is not numpy.take or not 2 <= len(node.args) <= 3:
            return None
        base = self.expression(node.args[0])
        axis = node.args[2] if len(node.args) == 3 else node.keywords[0].value if [k.arg for k in node.keywords] == ["axis"] else None
        along = None if axis is None else self.number(axis).constant
        if not isinstance(base, Array) or node.keywords and axis is None or along not in (None, 0):
            raise Refused(node, "'numpy.take' with these arguments is not in the subset", "index the array: a[i]")
        if along is None and base.type.ndim > 1:
            base = self.reshaped(node, base, [self.size(node, base)])
        return self.subscript(ast.copy_location(ast.Subscript(node.args[0], node.args[1], ast.Load()), node), base)

    @staticmethod
    def _is_mask(base: Array, parts: list) -> bool:
        """Whether an array says of every element whether it is meant."""
        return len(parts) == 1 and parts[0].type.is_bool and parts[0].type.ndim == base.type.ndim

    def _selection(self, node, base: Array, parts: list):
        """The lengths of what indices with arrays among them choose, and what gives the indices of an element of it."""
        parts = [self._positions(node, p, self.length(base, k)) if isinstance(p, Array) else p for k, p in enumerate(parts)]
        arrays = [p for p in parts if isinstance(p, Array)]
        ndim = max(a.type.ndim for a in arrays)
        common = self.common(node, arrays, ndim)
        several = [k for k, p in enumerate(parts) if not isinstance(p, tuple)]
        # Axes of the arrays stand where these stand, or first if there is a slice between them.
        together = several[-1] - several[0] == len(several) - 1
        before = sum(isinstance(p, tuple) for p in parts[:several[0]]) if together else 0
        slices = [p[2] for p in parts if isinstance(p, tuple)]
        lengths = [*slices[:before], *common, *slices[before:]]
        parts = [self.atom(self.narrow(p, node)) if isinstance(p, Value) else p for p in parts]

        def places(indices):
            chosen, rest = indices[before:before + ndim], iter([*indices[:before], *indices[before + ndim:]])
            found = []
            for p in parts:
                if isinstance(p, Array):
                    found.append(self.at(node, p, self.aligned(p, chosen)))
                elif isinstance(p, Value):
                    found.append(p)
                else:
                    first, step, _ = p
                    found.append(self.arithmetic(node, ast.Add(), self.times(node, next(rest), step), first))
            return found

        return lengths, places

    def _positions(self, node, index: Array, length: Value) -> Array:
        """An array of indices: one of integers, or where one of truth values holds."""
        if index.type.is_bool and index.type.ndim == 1:
            self.check(node, f"{self.length(index, 0).text} == {length.text}", IndexError, "a mask of another length than the axis")
            return self._rearranged(node, [index], *rearranged.FUNCTIONS[numpy.flatnonzero, 1])
        if not index.type.is_int:
            raise Refused(
                node, "arrays as indices are integers, or truth values for all elements or for an axis", "write a loop over them",
            )
        return self.materialised(node, index)

    def store_chosen(self, node, target: Array, parts: list, value, op=None) -> None:
        """`target[…] = value`, or `target[…] op= value`, with arrays among the indices."""
        if not isinstance(value, (Value, Array)):
            raise Refused(node, "what is stored in elements is a number or an array")
        value = self.materialised(node, value, fresh=target.name in value.uses or value.name == target.name) if isinstance(value, Array) else self.atom(value)
        if self._is_mask(target, parts):
            self._store_where(node, target, parts[0], value, op)
            return
        lengths, places = self._selection(node, target, parts)
        if op is not None:
            # An element that is chosen twice is changed once, as in NumPy.
            old = Array(Type(target.type.name, len(lengths)), None, None, lengths, lambda i: self.at(node, target, places(i)))
            value = self.materialised(node, self.each(node, [old, value], lambda a, b: self.arithmetic(node, op, a, b)))
            self._in_place(node, target, Type(value.type.name))
        if isinstance(value, Array):
            if value.type.ndim > len(lengths):
                raise Refused(node, "an array with more dimensions is stored in one with less")
            self.common(node, [Array(Type(target.type.name, len(lengths)), None, None, lengths), value], len(lengths))

        def body(indices):
            texts = [self.position(node, i, self.length(target, k)) for k, i in enumerate(places(indices))]
            v = self.at(node, value, self.aligned(value, indices)) if isinstance(value, Array) else value
            self.emit(node, f"{target.name}[{','.join(texts)}] = {self.stored(v, target.type, node)}")

        self.loops(node, lengths, body)

    @staticmethod
    def _in_place(node, target: Array, type: Type) -> None:
        if type.is_float and target.type.is_int:
            raise Refused(node, "floats are added in place to integers")

    def _store_where(self, node, target: Array, mask: Array, value, op) -> None:
        """Stores a number, or the elements of an array one after the other, where a condition holds."""
        self.common(node, [target, mask], target.type.ndim)
        lengths = [self.length(target, k) for k in range(target.type.ndim)]
        at = None
        if isinstance(value, Array):
            mask = self.materialised(node, mask)
            count = self.atom(self.reduced(node, "count", mask))
            one = self.length(value, 0).constant == 1
            if value.type.ndim != 1:
                raise Refused(node, "what is stored where a condition holds is a number or an array with one dimension")
            if not one:
                self.check(node, f"{count.text} == {self.length(value, 0).text}", ValueError, "an array of another length than elements that are chosen")
            at = "0" if one else self.fresh()
            if not one:
                self.emit(node, f"{at} : int = 0")

        def body(indices):
            place = f"{target.name}[{','.join(i.text for i in indices)}]"
            self.emit(node, f"if {self.truth(self.at(node, mask, indices)).text}")
            v = value if at is None else self._element(f"{value.name}[{at}]", value.type)
            if op is not None:
                v = self.arithmetic(node, op, self._element(place, target.type), v)
                self._in_place(node, target, v.type)
            self.emit(node, f"{place} = {self.stored(v, target.type, node)}")
            if at not in (None, "0"):
                self.emit(node, f"{at} += 1")
            self.emit(node, "endif")

        self.loops(node, lengths, body)

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
        if function is numpy.where:
            if len(node.args) != 1:
                return None
            function = numpy.nonzero
        name = ast.unparse(node.func)
        values = [self.array_of(a) for a in node.args]
        if function in rearranged.DIAGONALS and len(values) == 1:
            values.append(integer(0))
        ndim = values[0].type.ndim or 0 if values and isinstance(values[0], (Array, Value)) else None
        if function is numpy.nonzero and ndim == 1:
            # A tuple with one array.
            function = numpy.flatnonzero
            found = self._rearranged(node, values, *rearranged.FUNCTIONS[function, 1])
            return None if found is None else [found]
        if function is numpy.cross and len(values) == 2 and all(isinstance(v, Array) for v in values):
            kind = self.joined_type(node, values)
            values = [self.each(node, [v], lambda v: self.coerce(node, self.as_int(v), kind)) for v in values]
        if function in (numpy.percentile, numpy.quantile) and len(values) == 2 and isinstance(values[1], (list, Array)) and ndim == 1:
            # Several at once.
            places = self.items_array(node, values[1]) if isinstance(values[1], list) else values[1]
            a, given = self.materialised(node, values[0]), rearranged.FUNCTIONS[function, 1]
            return self.materialised(node, self.each(node, [places], lambda q: self._rearranged(node, [a, q], *given)))
        known = rearranged.FUNCTIONS.get((function, ndim))
        found = self._rearranged(node, values, *known) if known is not None else None
        if found is None:
            raise Refused(node, f"'{name}' with these arguments is not in the subset", "write a loop, or call it outside")
        return found

    def _rearranged(self, node, values: list, count: int, arrays: int, compute):
        if getattr(node, "keywords", None) or len(values) != count or any(not isinstance(v, Array if k < arrays else Value) for k, v in enumerate(values)):
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
                if compute not in (rearranged.lower_triangle, rearranged.upper_triangle):
                    self.check(node, f"{v.text} >= 0", ValueError, "a negative number of elements")
            passed.append(v)
        found = self.call_jitted_with(node, compute, passed)
        strong = [f.with_type(Type("f8")) if isinstance(f, Value) and f.type.name == "float" else f for f in found]
        return strong[0] if len(strong) == 1 else strong

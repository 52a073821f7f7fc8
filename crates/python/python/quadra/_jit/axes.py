"""Functions of NumPy that go along an axis and keep it: running sums, differences, order, elements moved round."""

from __future__ import annotations

import ast

import numpy

from . import scans
from .arrays import Array
from .types import FLOAT, INT, STRONG, Refused, Type, checked_array, promote
from .value import Evaluated, Known, Value, integer


class Axes:
    """Part of the translator."""

    def axis_of(self, node, a: Array, keywords: list, place: int):
        """The axis that a call names, by its argument at a place or by name; `None` for all elements. With it the other named arguments."""
        named = {k.arg: k.value for k in keywords}
        axis = node.args[place] if len(node.args) > place else named.pop("axis", None)
        if axis is None:
            return None, named, False
        v = self.expression(axis)
        if isinstance(v, Known) and v.value is None:
            return None, named, True
        found = v.constant if isinstance(v, Value) else None
        if type(found) is not int or not -a.type.ndim <= found < a.type.ndim:
            raise Refused(node, f"the axis of '{ast.unparse(node.func)}' is no constant of the array's dimensions")
        return found % a.type.ndim, named, True

    def along_axis(self, node, function):
        """`numpy.cumsum`, `cumprod`, `diff`, `sort`, `argsort` and `roll` of arrays with several dimensions; `None` for others, and for one."""
        if function not in (numpy.cumsum, numpy.cumprod, numpy.diff, numpy.sort, numpy.argsort, numpy.roll) or not node.args:
            return None
        a = self.array_of(node.args[0])
        if not isinstance(a, Array):
            raise Refused(node, f"'{ast.unparse(node.func)}' of what is no array")
        axis, named, given = self.axis_of(node, a, node.keywords, 2 if function in (numpy.diff, numpy.roll) else 1)
        if function is numpy.roll:
            return self._rolled(node, a, axis, named)
        if function in (numpy.sort, numpy.argsort):
            # One order of equal elements is as good as another, but for their places, where it is the stable one.
            named.pop("kind", None)
            last = 0 if a.type.ndim == 1 else None if given and axis is None else a.type.ndim - 1 if axis is None else axis
            if named or a.type.is_complex or last is None:
                raise Refused(node, f"'{ast.unparse(node.func)}' with these arguments is not in the subset", "it takes an array of real numbers and an axis")
            return self.sorted_along(node, a, last, function is numpy.sort)
        if named or function is numpy.diff and len(node.args) > 1 and self.number(node.args[1]).constant != 1:
            return None
        if function is numpy.diff and axis is None:
            axis = a.type.ndim - 1
        if axis is None or a.type.ndim == 1:
            return self.scanned(ast.copy_location(ast.Call(node.func, [ast.copy_location(Evaluated(a), node)], []), node), function)
        if function is numpy.diff:
            return self._differences(node, a, axis)
        return self._running(node, a, axis, ast.Add() if function is numpy.cumsum else ast.Mult())

    def sorted_along(self, node, a: Array, axis: int, values: bool) -> Array:
        """The elements, or their places, in their order along an axis."""
        if a.type.ndim == 1:
            return self.sorted(node, a) if values else self.order(node, a)
        a = self.materialised(node, a)
        lengths = [self.length(a, k) for k in range(a.type.ndim)]
        made = self.allocated(node, a.type if values else Type("i8", a.type.ndim), lengths)
        others = [n for k, n in enumerate(lengths) if k != axis]

        def body(indices):
            line = self.materialised(node, self.along(a, axis, indices), fresh=True)
            found = self.sorted(node, line) if values else self.order(node, line)

            def put(i):
                place = ",".join(v.text for v in [*indices[:axis], i[0], *indices[axis:]])
                self.emit(node, f"{made.name}[{place}] = {found.name}[{i[0].text}]")

            self.loops(node, [lengths[axis]], put)

        self.loops(node, others, body)
        return made

    def _rolled(self, node, a: Array, axis, named: dict) -> Array:
        """`numpy.roll` along one axis, or of all elements."""
        by = node.args[1] if len(node.args) > 1 else named.pop("shift", None)
        if by is None or named:
            raise Refused(node, "numpy.roll(a, n, axis) is in the subset")
        by = self.expression(by)
        if not isinstance(by, Value) or by.type.is_float:
            raise Refused(node, "elements are moved round by an integer along one axis", "call numpy.roll for each axis")
        if axis is None and a.type.ndim > 1:
            shape = [self.length(a, k) for k in range(a.type.ndim)]
            flat = self._rolled_along(node, self.reshaped(node, a, [self.size(node, a)]), 0, by)
            return self.reshaped(node, flat, shape)
        return self._rolled_along(node, a, axis or 0, by)

    def _rolled_along(self, node, a: Array, axis: int, by: Value) -> Array:
        a = a if a.compute is None else self.materialised(node, a)
        lengths = [self.length(a, k) for k in range(a.type.ndim)]
        n = self.atom(lengths[axis])
        by = self.wide(self.as_int(by))
        # Where the first element comes from: without elements there is none.
        first = self.atom(Value(f"int(mod({by.text}*(-1), int64(max({n.text}, 1))))", INT, 0, self.longest))

        def at(indices):
            i = indices[axis]
            text = f"({i.text} + {first.text} < {n.text} ? {i.text} + {first.text} : {i.text} + {first.text} - {n.text})"
            return self.at(node, a, [*indices[:axis], Value(text, INT, 0, self.longest), *indices[axis + 1:]])

        uses = a.uses | ({a.name} if a.name else {a.view.name})
        return Array(a.type, None, None, lengths, at, frozenset(uses))

    def _differences(self, node, a: Array, axis: int) -> Array:
        """Each element of an axis but the first, less the one before it."""
        if a.type.is_bool:
            raise Refused(node, "differences of truth values", "compare the parts: a[1:] != a[:-1]")
        lengths = [self.length(a, k) for k in range(a.type.ndim)]
        lengths[axis] = self.atom(Value(f"max({lengths[axis].text} - 1, 0)", INT, 0, lengths[axis].high))
        a = a if a.compute is None else self.materialised(node, a)

        def at(indices):
            above = self.arithmetic(node, ast.Add(), indices[axis], integer(1))
            return self.arithmetic(node, ast.Sub(), self.at(node, a, [*indices[:axis], above, *indices[axis + 1:]]), self.at(node, a, indices))

        return Array(a.type, None, None, lengths, at, a.uses | ({a.name} if a.name else {a.view.name}))

    def _running(self, node, a: Array, axis: int, op) -> Array:
        """Sums or products of the elements of an axis up to each of them."""
        lengths = [self.length(a, k) for k in range(a.type.ndim)]
        whole = a.type.is_int or a.type.is_bool
        made = self.allocated(node, Type("i8" if whole else a.type.name, a.type.ndim), lengths)
        type = Type(made.type.name)
        others = [n for k, n in enumerate(lengths) if k != axis]

        def body(indices):
            start = integer(0 if isinstance(op, ast.Add) else 1)
            total = self.declared(self.quasar(Value("", type, wide=whole)), self.wide(start) if whole else self.coerce(node, start, type))
            total = Value(total.text, type, atom=True, wide=whole)

            def add(i):
                place = [*indices[:axis], i[0], *indices[axis:]]
                v = self.at(node, a, place)
                v = self.wide(self.as_int(v)).with_type(type) if whole else v
                self.emit(node, f"{total.text} = {self.arithmetic(node, op, total, v).text}")
                self.emit(node, f"{made.name}[{','.join(p.text for p in place)}] = {total.text}")

            self.loops(node, [lengths[axis]], add)

        self.loops(node, others, body)
        return made

    def scanned(self, node, function):
        """A call of a function of `scans`; `None` for others."""
        from . import scans

        try:
            count, arrays, compute = scans.FUNCTIONS.get(function, (0, 0, None))
        except TypeError:
            return None
        if compute is None:
            return None
        values, named = [self.array_of(a) for a in node.args], node.keywords
        name = ast.unparse(node.func)
        if function is numpy.searchsorted:
            return self._searched(node, values)
        if function is numpy.bincount and len(values) == 1 and [k.arg for k in named] in ([], ["minlength"]):
            values, named = [*values, self.number(named[0].value) if named else integer(0)], []
        if function in scans.FLAT and len(values) == 1 and isinstance(values[0], Array) and values[0].type.ndim > 1:
            values = [self.reshaped(node, values[0], [self.size(node, values[0])])]
        if len(values) != count or named or any(not isinstance(v, Array) or v.type.ndim != 1 for v in values[:arrays]):
            raise Refused(node, f"'{name}' with these arguments is not in the subset", "it takes arrays of one dimension, and nothing else")
        if function is numpy.interp and isinstance(values[0], Array):
            tables = [self.materialised(node, v) for v in values[1:]]
            return self.each(node, values[:1], lambda v: self.call_jitted_with(node, compute, [self.coerce(node, self.as_int(v), FLOAT), *tables])[0])
        if function is numpy.polyval and isinstance(values[1], Array):
            coefficients = self.materialised(node, values[0])
            return self.each(node, values[1:], lambda v: self.call_jitted_with(node, compute, [coefficients, self.as_int(v)])[0])
        if arrays != count and not isinstance(values[arrays], Value):
            raise Refused(node, f"'{name}' of several numbers at once is not in the subset", "write a loop")
        if function in (numpy.cumsum, numpy.cumprod) and (values[0].type.is_int or values[0].type.is_bool):
            # Sums of integers have 64 bits.
            values = [self.each(node, values, lambda v: self.wide(self.as_int(v)).with_type(Type("i8")))]
        if function is numpy.convolve:
            kind = self.joined_type(node, values)
            values = [self.each(node, [v], lambda v: self.coerce(node, v, kind)) for v in values]
        if function is numpy.gradient and not Type(values[0].type.name).is_float:
            values = [self.each(node, values, lambda v: self.coerce(node, self.as_int(v), Type("f8")))]
        values = [self.materialised(node, v) if isinstance(v, Array) else self.atom(self.as_int(v)) for v in values]
        if function is numpy.interp:
            values[0] = self.atom(self.coerce(node, values[0], FLOAT))
        found = self.call_jitted_with(node, compute, values)[0]
        strong = None if function is numpy.array_equal else STRONG.get(found.type.name)
        return found.with_type(Type(strong)) if isinstance(found, Value) and strong else found

    def _searched(self, node, values: list):
        """`numpy.searchsorted(a, v, side)`: the place of a number, or of each of an array."""
        named = {k.arg: k.value for k in node.keywords}
        side = values.pop() if len(values) == 3 else self.expression(named.pop("side")) if "side" in named else Known("left")
        fits = not named and len(values) == 2 and isinstance(values[0], Array) and values[0].type.ndim == 1 and isinstance(values[1], (Array, Value))
        if not fits or not isinstance(side, Known) or side.value not in ("left", "right"):
            raise Refused(node, "'numpy.searchsorted' with these arguments is not in the subset", "it takes an array of one dimension, what is looked for, and side='left' or 'right'")
        a, compute = self.materialised(node, values[0]), scans.searchsorted if side.value == "left" else scans.searchsorted_right

        def place(v):
            return self.call_jitted_with(node, compute, [a, self.atom(self.as_int(v))])[0].with_type(Type("i8"))

        return self.each(node, values[1:], place) if isinstance(values[1], Array) else place(values[1])

    def joined_type(self, node, arrays: list) -> Type:
        """The type of elements of two arrays together."""
        a, b = (Type(v.type.name) for v in arrays)
        return a if a == b else promote(node, a, b)

    def sorted(self, node, a: Array) -> Array:
        """The elements of an array with one dimension in their order."""
        a = self.materialised(node, a)
        name = self.fresh()
        self.emit(node, f"{name} : {checked_array(a.type.name, 1)} = sort({a.name})")
        return Array(a.type, name)

    def order(self, node, a: Array) -> Array:
        """The places of the elements in their order; equal ones stay in theirs."""
        a = self.materialised(node, a)
        values, places = self.fresh(), self.fresh()
        self.emit(node, f"[{values}, {places}] = sort({a.name})")
        made = self.allocated(node, Type("i8", 1), [self.length(a, 0)])
        self.loops(node, [self.length(a, 0)], lambda i: self.emit(node, f"{made.name}[{i[0].text}] = {places}[{i[0].text}]"))
        return made

"""Reductions of arrays to numbers, or along an axis, and products of matrices."""

from __future__ import annotations

import ast
import re

import numpy

from .arrays import Array, View
from .lists import Made
from .types import BOOL, INT, STRONG, Refused, Type, part_of, promote
from .value import SMALL, Value, integer

#: By method of arrays.
METHODS = {
    "sum": "sum", "min": "min", "max": "max", "mean": "mean", "prod": "prod", "any": "any", "all": "all", "dot": "dot",
    "argmin": "argmin", "argmax": "argmax", "var": "var", "std": "std",
}
#: By function.
NAMES = {getattr(numpy, name): name for name in METHODS} | {sum: "sum", any: "any", all: "all", numpy.amin: "min", numpy.amax: "max", numpy.count_nonzero: "count", numpy.linalg.norm: "norm"} | {
    numpy.nansum: "nansum", numpy.nanmean: "nanmean", numpy.nanmax: "nanmax", numpy.nanmin: "nanmin", numpy.ptp: "ptp",
}


class Reductions:
    """Part of the translator."""

    def reduction_called(self, node, function):
        """A call of a function that reduces arrays; `None` for others, and for numbers."""
        try:
            name = NAMES.get(function) or ("dot" if function in (numpy.matmul, numpy.vdot) else None)
        except TypeError:
            return None
        if function in (min, max) and len(node.args) == 1 and not node.keywords:
            return self._extreme_of_items(node, function is max)
        if name is None or not node.args:
            return None
        several = 2 if name == "dot" else 1
        values = [self.array_of(a) for a in node.args[:several]]
        if function is sum and len(node.args) == 1 and isinstance(values[0], list):
            return self.total_of(node, values[0])
        if function in (any, all) and isinstance(values[0], list):
            values = [self.items_array(node, values[0])]
        if function not in (any, all, sum):
            values = [self.items_array(node, v) if isinstance(v, list) else v for v in values]
        if not all(isinstance(v, Array) for v in values):
            raise Refused(node, f"'{ast.unparse(node.func)}' of what is no array")
        if function is numpy.vdot:
            if any(v.type.ndim != 1 for v in values):
                raise Refused(node, "'numpy.vdot' of matrices is not in the subset", "write a loop")
            values[0] = self.each(node, values[:1], lambda v: self.complex_part(node, v, "conj"))
        if function in (any, all):
            return self.reduced(node, name, values[0]).with_type(BOOL)
        if function is sum and len(node.args) == 1:
            return self._as_listed(node, self.reduced(node, name, values[0]))
        return self.reduction_of(node, name, values, node.args[several:])

    def total_of(self, node, items: list):
        """`sum` of a tuple of numbers."""
        if not all(isinstance(v, Value) for v in items):
            raise Refused(node, "'sum' of what is no number", "add the parts one by one")
        total = integer(0)
        for v in items:
            total = self.arithmetic(node, ast.Add(), self.atom(total), v)
        return total

    def reduction_of(self, node, name: str | None, values: list, rest: list):
        """An array reduced, with the arguments behind it; `None` for what is none."""
        if name == "dot":
            values = [*values, *(self.array_of(a) for a in rest)]
            called = node.func.attr if isinstance(node.func, ast.Attribute) else "dot"
            return self.dot(node, *values, called != "dot") if len(values) == 2 and not node.keywords else None
        if name is None:
            return None
        axis = rest[0] if len(rest) == 1 and name != "norm" else None
        kept, self.ddof = False, None
        for k in node.keywords:
            if k.arg == "ddof" and name in ("var", "std"):
                self.ddof = self.atom(self.as_int(self.number(k.value)))
            elif k.arg == "keepdims" and isinstance(k.value, ast.Constant) and isinstance(k.value.value, bool):
                kept = k.value.value
            elif k.arg == "axis" and axis is None:
                axis = k.value
            else:
                raise Refused(node, f"the argument '{k.arg}' of a reduction is not in the subset")
        if len(rest) > (name != "norm"):
            if name == "norm":
                raise Refused(node, "norms of other kinds than the root of the sum of squares are not in the subset")
            return None
        if axis is None or isinstance(axis, ast.Constant) and axis.value is None:
            if kept:
                raise Refused(node, "'keepdims' without an axis is not in the subset", "leave it out: the result is a number")
            return self.reduced(node, name, values[0])
        if isinstance(axis, ast.Tuple):
            return self._along_axes(node, name, values[0], [self.number(a).constant for a in axis.elts], kept)
        axis = self.number(axis).constant
        found = self.reduced_along(node, name, values[0], axis)
        return self.with_axis(node, values[0], axis % values[0].type.ndim, found) if kept else found

    def _along_axes(self, node, name: str, a: Array, axes: list, kept: bool):
        """A reduction along several axes, one after the other."""
        if name not in ("sum", "min", "max", "prod", "any", "all", "mean") or kept or None in axes:
            raise Refused(node, f"'{name}' along these axes is not in the subset", "reduce along one axis after the other")
        for axis in sorted((k % a.type.ndim for k in axes), reverse=True):
            a = self.reduced_along(node, name, a, axis)
        return a

    def with_axis(self, node, a: Array, axis: int, found) -> Array:
        """A reduction along an axis, which it keeps with length one."""
        lengths = [integer(1) if k == axis else self.length(a, k) for k in range(a.type.ndim)]
        if isinstance(found, Value):
            found = self.atom(found)
            name = STRONG.get(found.type.name, found.type.name)
            return Array(Type(name, 1), None, None, lengths, lambda indices: found)
        rest = lambda indices: [i for k, i in enumerate(indices) if k != axis]
        return Array(
            Type(found.type.name, a.type.ndim), None, None, lengths, lambda indices: self.at(node, found, rest(indices)),
            frozenset([found.name]), found.name,
        )

    def reduced_along(self, node, name: str, a: Array, axis):
        """A reduction along one axis: an array with one dimension less."""
        ndim = a.type.ndim
        if not isinstance(axis, int) or not -ndim <= axis < ndim:
            raise Refused(node, "the axis of a reduction is no constant of the array's dimensions")
        axis %= ndim
        if ndim == 1:
            return self.reduced(node, name, a)
        a = self.materialised(node, a)
        others = [self.length(a, k) for k in range(ndim) if k != axis]
        # What type the numbers have: found out without keeping what that emits.
        outer, self.lines = self.lines, []
        zero = Value("0", INT, 0, self.longest, atom=True)
        found = self.reduced(node, name, self.along(a, axis, [zero]*(ndim - 1))).type.name
        self.lines = outer
        made = self.allocated(node, Type(STRONG.get(found, found), ndim - 1), others)

        def body(indices):
            v = self.reduced(node, name, self.along(a, axis, indices))
            self.emit(node, f"{made.name}[{','.join(i.text for i in indices)}] = {self.stored(v, made.type, node)}")

        self.loops(node, others, body)
        return made

    def along(self, a: Array, axis: int, others: list) -> Array:
        """The elements along an axis at some position on the others."""
        if a.compute is not None:
            at = lambda indices: a.compute([*others[:axis], indices[0], *others[axis:]])
            return Array(Type(a.type.name, 1), None, None, [self.length(a, axis)], at, a.uses)
        rest = iter(others)
        parts = [(integer(0), 1, 0) if k == axis else next(rest).text for k in range(a.type.ndim)]
        return Array(Type(a.type.name, 1), None, View(a.name, parts), [self.length(a, axis)], None, frozenset([a.name]))

    def reduced(self, node, name: str, a: Array) -> Value:
        if name in ("var", "std"):
            return self._spread(node, name, a)
        if name == "norm":
            return self._norm(node, a)
        if name == "ptp":
            a = self.materialised(node, a)
            return self.arithmetic(node, ast.Sub(), self.atom(self.reduced(node, "max", a)), self.atom(self.reduced(node, "min", a)))
        if name.startswith("nan"):
            return self._of_numbers(node, name[3:], a)
        if name == "count":
            some = self.each(node, [a], lambda v: self.truth(v).with_type(Type("b1")))
            return self.reduced(node, "sum", some)
        total = self.fresh()
        type = Type(a.type.name)
        lengths = [self.length(a, k) for k in range(a.type.ndim)]
        if name in ("min", "max", "argmin", "argmax"):
            return self._extreme_of(node, name, a, lengths)
        if name in ("any", "all"):
            self.emit(node, f"{total} : int = {int(name == 'all')}")
            op = "&&" if name == "all" else "||"
            self.loops(node, lengths, lambda i: self.emit(node, f"{total} = {total} {op} {self.truth(self.at(node, a, i)).text}"))
            return Value(f"({total} != 0)", Type("b1"), 0, 1)
        whole = not type.is_float and not type.is_complex and name != "mean"
        kind = "int64" if whole else "cscalar'double" if type.is_complex else "scalar'double"
        self.emit(node, f"{total} : {kind} = {int(name == 'prod')}")

        def body(indices):
            v = self.at(node, a, indices)
            text = self.wide(self.as_int(v)).text if whole else v.text if not v.type.is_int and not v.type.is_bool else f"float({v.text})"
            self.emit(node, f"{total} {'*' if name == 'prod' else '+'}= {text}")

        self.loops(node, lengths, body)
        if whole:
            return Value(total, Type("i8"), atom=True, wide=True)
        result = Value(total, Type("c16" if type.is_complex else "f8"), atom=True)
        if name == "mean":
            size = self.size(node, a)
            result = Value(f"({total} / float({size.text}))", result.type)
        if type.name == "c8":
            return self.declared("cscalar'single", result.with_type(type))
        return self.declared("scalar'single", result.with_type(type)) if type.name == "f4" else result

    def _extreme_of(self, node, name, a: Array, lengths) -> Value:
        if a.type.is_complex:
            raise Refused(node, "complex numbers have no order", "take the extreme of abs(z), z.real or z.imag")
        a = a if self._is_cheap(node, a) else self.materialised(node, a)
        lengths = [self.length(a, k) for k in range(a.type.ndim)]
        for length in lengths:
            self.check(node, f"{length.text} > 0", ValueError, "the extreme of an array without elements")
        zero = integer(0)
        first = self.at(node, a, [zero] * a.type.ndim)
        best = self.fresh()
        greater = name.endswith("max")
        self.emit(node, f"{best} : {self.quasar(first)} = {first.text}")
        if name.startswith("arg"):
            at = self.fresh()
            self.emit(node, f"{at} : int = 0")

            def note(i):
                v = self.atom(self.at(node, a, i))
                self.emit(node, f"if {v.text} {'>' if greater else '<'} {best}")
                self.emit(node, f"{best} = {v.text}")
                place = i[0]
                for index, length in zip(i[1:], lengths[1:]):
                    place = self.arithmetic(node, ast.Add(), self.arithmetic(node, ast.Mult(), place, length), index)
                self.emit(node, f"{at} = {self.narrow(place, node).text}")
                self.emit(node, "endif")

            if first.type.is_float:
                self._no_nan(node, a, lengths)
            self.loops(node, lengths, note)
            return Value(at, Type("i8"), 0, self.longest if a.type.ndim == 1 else SMALL, atom=True)
        if first.type.is_float:
            bad = self.fresh()
            self.emit(node, f"{bad} : int = 0")

            def one(i):
                v = self.atom(self.at(node, a, i))
                self.emit(node, f"{best} = {'max' if greater else 'min'}({best}, {v.text})")
                self.emit(node, f"{bad} = {bad} || {v.text} != {v.text}")

            self.loops(node, lengths, one)
            return Value(f"({bad} ? nan : {best})", first.type)
        self.loops(node, lengths, lambda i: self.emit(node, f"{best} = {'max' if greater else 'min'}({best}, {self.at(node, a, i).text})"))
        return Value(best, first.type, first.low, first.high, atom=True, wide=first.wide)

    def _is_cheap(self, node, a: Array) -> bool:
        """Whether elements may as well be computed again each time as be kept: they take a few simple operations."""
        if a.compute is None:
            return True
        outer, self.lines = self.lines, []
        text = self.at(node, a, [Value("0", INT, 0, self.longest, atom=True)]*a.type.ndim).text
        emitted, self.lines = self.lines, outer
        return not emitted and len(text) < 200 and set(re.findall(r"(\w+)\(", text)) <= {"abs", "int", "int64", "float", "min", "max"}

    def _extreme_of_items(self, node, greater: bool) -> Value | None:
        """`min` or `max` of Python over an array; `None` for a tuple."""
        a = self.expression(node.args[0])
        if isinstance(a, Made) and a.times is None and a.array is None:
            a = a.items
        if isinstance(a, Made):
            a = self.items_array(node, a)
        if isinstance(a, list) and a and all(isinstance(v, Value) for v in a):
            return self.known(node, max if greater else min, a)
        if not isinstance(a, Array) or a.type.ndim != 1:
            raise Refused(node, "the extreme of what is no tuple and no array with one dimension")
        a = self.materialised(node, a)
        if a.type.name in ("f4", "f8"):
            # Which one Python finds depends on where it is.
            self._no_nan(node, a, [self.length(a, 0)])
        return self._as_listed(node, self.reduced(node, "max" if greater else "min", a))

    def _as_listed(self, node, v: Value) -> Value:
        """A number that Python computes of a list's numbers, which are its own, not NumPy's."""
        name = self.named_list(node.args[0])
        type = None if name is None else self.list_types(name)[0]
        return v.with_type(type) if type is not None and type.is_weak else v

    def _no_nan(self, node, a, lengths) -> None:
        bad = self.fresh()
        self.emit(node, f"{bad} : int = 0")

        def one(i):
            v = self.atom(self.at(node, a, i))
            self.emit(node, f"{bad} = {bad} || {v.text} != {v.text}")

        self.loops(node, lengths, one)
        self.check(node, f"{bad} == 0", ValueError, "the place of an extreme among what is no number")

    def _spread(self, node, name: str, a: Array) -> Value:
        """The variance, or its root: the mean of the squares of what lies between the elements and their mean."""
        a = self.materialised(node, a) if a.compute is not None else a
        mean = self.atom(self.reduced(node, "mean", a))

        def square(v):
            far = self.atom(self.arithmetic(node, ast.Sub(), v, mean))
            return self.squared_size(node, far)

        squares = self.each(node, [a], square)
        if self.ddof is None:
            v = self.reduced(node, "mean", squares)
        else:
            # By the number of elements less what is given.
            v = self.reduced(node, "sum", squares)
            v = v if v.type.is_float else self.coerce(node, v, Type("f8"))
            v = Value(f"({v.text} / max(float({self.size(node, a).text} - {self.ddof.text}), 0.0))", v.type)
            v = self.declared("scalar'single", v) if v.type.name == "f4" else v
        return Value(f"sqrt({v.text})", v.type) if name == "std" else v

    def squared_size(self, node, v: Value) -> Value:
        """The square of the size of a number in a variable."""
        if not v.type.is_complex:
            return self.arithmetic(node, ast.Mult(), v, v)
        return Value(f"(real({v.text})*real({v.text}) + imag({v.text})*imag({v.text}))", part_of(v.type))

    def close(self, node, function):
        """`numpy.isclose` and `numpy.allclose`; `None` for others."""
        if function not in (numpy.isclose, numpy.allclose) or len(node.args) != 2:
            return None
        limits = {"rtol": 1e-5, "atol": 1e-8}
        for k in node.keywords:
            limit = self.number(k.value).constant
            if k.arg not in limits or type(limit) not in (int, float):
                raise Refused(node, f"the argument '{k.arg}' of '{ast.unparse(node.func)}' is no constant, or not in the subset")
            limits[k.arg] = float(limit)
        values = [self.expression(a) for a in node.args]
        if any(not isinstance(v, (Value, Array)) for v in values):
            raise Refused(node, "numbers or arrays are compared", "compare the items of a tuple one by one")

        def one(a, b):
            # Infinite numbers are close to themselves alone, and what is no number to nothing.
            a, b = (self.atom(self.coerce(node, self.as_int(v), Type("f8"))) for v in (a, b))
            far = f"abs({a.text} - {b.text}) <= {limits['atol']!r} + {limits['rtol']!r}*abs({b.text})"
            return Value(f"({a.text} == {b.text} || abs({b.text}) < inf && {far})", Type("b1"), 0, 1)

        if any(isinstance(v, Array) for v in values):
            found = self.each(node, values, one)
            return self.reduced(node, "all", found).with_type(BOOL) if function is numpy.allclose else found
        found = one(*values)
        return found.with_type(BOOL) if function is numpy.allclose else found

    def _of_numbers(self, node, name: str, a: Array) -> Value:
        """A reduction of the elements that are numbers; that of none is none, but their sum 0."""
        if a.type.is_complex:
            raise Refused(node, f"'nan{name}' of complex numbers is not in the subset", "write a loop")
        if not Type(a.type.name).is_float:
            return self.reduced(node, name, a)
        a = self.materialised(node, a)

        # Elements of an array with a name may stand twice in a text.
        def without(neutral):
            return self.each(node, [a], lambda v: Value(f"({v.text} != {v.text} ? {neutral} : {v.text})", v.type))

        if name == "sum":
            return self.reduced(node, "sum", without("0.0"))
        there = self.each(node, [a], lambda v: Value(f"({v.text} == {v.text})", Type("b1"), 0, 1))
        count = self.atom(self.reduced(node, "count", there))
        if name == "mean":
            total = self.reduced(node, "sum", without("0.0"))
            return Value(f"({total.text} / float({count.text}))", total.type)
        best = self.reduced(node, name, without("(-inf)" if name == "max" else "inf"))
        return Value(f"({count.text} == 0 ? nan : {best.text})", best.type)

    def _norm(self, node, a: Array) -> Value:
        """The root of the sum of squares, in single precision for such arrays."""
        if a.type.ndim > 2:
            raise Refused(node, "norms are those of vectors and matrices")

        def square(v):
            v = self.atom(v if v.type.is_float or v.type.is_complex else self.coerce(node, self.as_int(v), Type("f8")))
            return self.squared_size(node, v)

        v = self.reduced(node, "sum", self.each(node, [a], square))
        return Value(f"sqrt({v.text})", v.type)

    def dot(self, node, a, b, batches: bool = True):
        """The product of vectors, of matrices, or of each matrix of an array of them, where `batches` says that they go in pairs."""
        a, b = (self.items_array(node, v) if isinstance(v, (list, Made)) else v for v in (a, b))
        if not all(isinstance(v, Array) and v.type.ndim in (1, 2, 3) for v in (a, b)) or not batches and b.type.ndim == 3:
            raise Refused(node, "products of other things than vectors and matrices are not in the subset", "write the loops, or call NumPy outside")

        def product(x, y):
            return self.reduced(node, "sum", self.each(node, [x, y], lambda x, y: self.arithmetic(node, ast.Mult(), x, y)))

        if a.type.ndim == b.type.ndim == 1:
            return self._kept(product(a, b), a, b, node)
        # The elements of an array in another shape are not computed: they are read where they are.
        a, b = (v if v.compute is not None and v.of is not None else self.materialised(node, v) for v in (a, b))
        across = max(b.type.ndim - 2, 0)
        inner = [self.length(a, a.type.ndim - 1), self.length(b, across)]
        self.check(node, f"{inner[0].text} == {inner[1].text}", ValueError, "matrices of sizes that do not fit are multiplied")
        first = [self.length(v, 0) for v in (a, b) if v.type.ndim == 3]
        if len(first) == 2:
            self.check(node, f"{first[0].text} == {first[1].text}", ValueError, "different numbers of matrices are multiplied")
        lengths = [*first[:1], *([self.length(a, a.type.ndim - 2)] if a.type.ndim > 1 else []), *([self.length(b, across + 1)] if b.type.ndim > 1 else [])]
        to = promote(node, Type(a.type.name), Type(b.type.name)) if a.type.name != b.type.name else Type(a.type.name)
        made = self.allocated(node, Type(to.name, len(lengths)), lengths)

        def body(indices):
            batch = indices[:len(first[:1])]
            line = indices[len(batch):len(batch) + 1] if a.type.ndim > 1 else []
            x = self.along(a, a.type.ndim - 1, [*(batch if a.type.ndim == 3 else []), *line]) if a.type.ndim > 1 else a
            y = self.along(b, across, [*(batch if b.type.ndim == 3 else []), indices[-1]]) if b.type.ndim > 1 else b
            v = self.coerce(node, self._kept(product(x, y), a, b, node), to)
            self.emit(node, f"{made.name}[{','.join(i.text for i in indices)}] = {self.stored(v, made.type, node)}")

        self.loops(node, lengths, body)
        return made

    def outer_called(self, node, function):
        """`numpy.outer` of two vectors, computed element by element; `None` for others."""
        if function is not numpy.outer:
            return None
        values = [self.expression(a) for a in node.args]
        if len(values) != 2 or node.keywords or any(not isinstance(v, Array) or v.type.ndim != 1 for v in values):
            raise Refused(node, "'numpy.outer' with these arguments is not in the subset", "it takes two arrays of one dimension")
        # What is computed is computed once for each element.
        values = [v if v.compute is None else self.materialised(node, v) for v in values]

        def spread(k: int):
            v = values[k]
            lengths = [self.length(v, 0) if axis == k else integer(1) for axis in range(2)]
            uses = v.uses | ({v.name} if v.name else {v.view.name} if v.view else set())
            return Array(Type(v.type.name, 2), None, None, lengths, lambda indices: self.at(node, v, [indices[k]]), frozenset(uses))

        return self.each(node, [spread(0), spread(1)], lambda x, y: self.arithmetic(node, ast.Mult(), x, y))

    def _kept(self, v: Value, a: Array, b: Array, node) -> Value:
        """A sum of integers is one of 64 bits, a product of vectors keeps their type."""
        to = Type(a.type.name) if a.type.name == b.type.name else promote(node, Type(a.type.name), Type(b.type.name))
        return v if v.type == to or to.is_bool else self.coerce(node, v, to)

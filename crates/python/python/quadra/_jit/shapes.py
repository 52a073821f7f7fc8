"""Arrays in other shapes: transposed, flat, of other lengths, several behind each other."""

from __future__ import annotations

import ast

import numpy

from .arrays import Array
from .types import INT, STRONG, Refused, Type, promote
from .value import Value, integer

#: Methods and functions that show the elements of one array.
NAMES = {numpy.transpose: "transpose", numpy.ravel: "ravel", numpy.reshape: "reshape"}


class Shapes:
    """Part of the translator."""

    def shaped_called(self, node, function):
        """A call of a function that gives an array another shape; `None` for others."""
        if function in (numpy.concatenate, numpy.vstack, numpy.stack, numpy.hstack):
            return self.concatenated(node, function)
        if function is numpy.append and len(node.args) == 2 and not node.keywords:
            return self.behind_each_other(node, *(self.expression(x) for x in node.args))
        try:
            name = NAMES.get(function)
        except TypeError:
            return None
        if name is None or not node.args:
            return None
        base = self.expression(node.args[0])
        if not isinstance(base, Array):
            raise Refused(node, f"'{ast.unparse(node.func)}' of what is no array")
        return self.shaped(node, name, base, node.args[1:])

    def shaped(self, node, name: str, a: Array, args: list):
        """`a.transpose()`, `a.ravel()`, `a.flatten()` or `a.reshape(…)`; `None` for other methods."""
        if name not in ("transpose", "ravel", "flatten", "reshape") or node.keywords or (args and name in ("ravel", "flatten")):
            return None
        if name == "transpose":
            return self.transposed(a, self._axes(node, a, args))
        if name != "reshape":
            flat = self.reshaped(node, a, [self.size(node, a)])
            return self.materialised(node, flat, fresh=True) if name == "flatten" else flat
        values = []
        for v in (self.expression(x) for x in args):
            values += v if isinstance(v, list) else [v]
        if not values or any(not isinstance(v, Value) for v in values):
            raise Refused(node, "a shape of integers is needed")
        return self.reshaped(node, a, [self.atom(self.narrow(self.as_int(v), node)) for v in values])

    def _shown(self, a: Array, lengths: list, at) -> Array:
        uses = a.uses | ({a.name} if a.name else set())
        return Array(Type(a.type.name, len(lengths)), None, None, lengths, at, uses, a.view.name if a.view else a.of or a.name)

    def _axes(self, node, a: Array, args: list) -> list[int]:
        """The axes that `a.transpose(…)` names, as constants; all of them from the last one if it names none."""
        args = args[0].elts if len(args) == 1 and isinstance(args[0], (ast.Tuple, ast.List)) else args
        if not args:
            return list(reversed(range(a.type.ndim)))
        axes = [self.number(x).constant for x in args]
        if any(type(k) is not int for k in axes) or sorted(k % a.type.ndim for k in axes) != list(range(a.type.ndim)):
            raise Refused(node, "axes are named by constants, each one once")
        return [k % a.type.ndim for k in axes]

    def transposed(self, a: Array, axes: list[int] | None = None) -> Array:
        """An array whose axis `k` is axis `axes[k]` of `a`."""
        axes = list(reversed(range(a.type.ndim))) if axes is None else axes
        lengths = [self.length(a, k) for k in axes]
        return self._shown(a, lengths, lambda indices: self.at(self.tree, a, [indices[axes.index(k)] for k in range(a.type.ndim)]))

    def reshaped(self, node, a: Array, lengths: list) -> Array:
        total = self.atom(self.size(node, a))
        unknown = [k for k, n in enumerate(lengths) if n.constant == -1]
        if len(unknown) > 1:
            raise Refused(node, "a shape with two lengths of -1")
        product = integer(1)
        for k, n in enumerate(lengths):
            product = product if k in unknown else self.arithmetic(node, ast.Mult(), product, n)
        product = self.atom(product)
        if unknown:
            self.check(node, f"{product.text} > 0 && mod({total.text}, {product.text}) == 0", ValueError, "the elements do not fit into this shape")
            lengths[unknown[0]] = self.atom(Value(f"int(idivide({total.text}, {product.text}))", INT, 0, self.longest))
        else:
            self.check(node, f"{total.text} == {product.text}", ValueError, "the elements do not fit into this shape")
        inner = [self.length(a, k) for k in range(a.type.ndim)]

        def at(indices):
            place = indices[0]
            for i, n in zip(indices[1:], lengths[1:]):
                place = self.arithmetic(node, ast.Add(), self.arithmetic(node, ast.Mult(), place, n), i)
            place = self.atom(self.narrow(place, node))
            parts = []
            for n in inner[:0:-1]:
                parts.append(self.atom(Value(f"mod({place.text}, {n.text})", INT, 0, max(n.high - 1, 0))))
                place = self.atom(Value(f"idivide({place.text}, {n.text})", INT, 0, self.longest))
            return self.at(node, a, [Value(place.text, INT, 0, self.longest, atom=True), *reversed(parts)])

        return self._shown(a, lengths, at)

    def _row(self, node, a: Array) -> Array:
        """An array with one dimension as a matrix of one row."""
        if a.type.ndim != 1:
            return a
        return self._shown(a, [integer(1), self.length(a, 0)], lambda indices: self.at(node, a, indices[1:]))

    def concatenated(self, node, function) -> Array:
        """`numpy.concatenate`, `vstack`, `stack` or `hstack` of a tuple of arrays, along the first axis."""
        if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], (ast.Tuple, ast.List)):
            raise Refused(node, "arrays are put together from a tuple of them, along the first axis")
        parts = [self.expression(x) for x in node.args[0].elts]
        if not parts or any(not isinstance(p, Array) or p.type.ndim != parts[0].type.ndim for p in parts):
            raise Refused(node, "arrays with the same number of dimensions are needed")
        if function is numpy.hstack and parts[0].type.ndim == 2:
            # Side by side, as their transposes are behind each other.
            return self.transposed(self._together(node, [self.transposed(p) for p in parts]))
        if function in (numpy.stack, numpy.hstack) and parts[0].type.ndim != 1:
            raise Refused(node, f"'{ast.unparse(node.func)}' of arrays with several dimensions is not in the subset", "take numpy.concatenate, or write a loop")
        if function in (numpy.stack, numpy.vstack):
            parts = [self._row(node, p) for p in parts]
        return self._together(node, parts)

    def behind_each_other(self, node, a, b) -> Array:
        """`numpy.append(a, b)`: the elements of both, which may have any shape, or be numbers."""
        def flat(v):
            if isinstance(v, Value):
                v = self.atom(v)
                return Array(Type(STRONG.get(v.type.name, v.type.name), 1), None, None, [integer(1)], lambda indices: v)
            if not isinstance(v, Array):
                raise Refused(node, "what is appended are arrays or numbers")
            return v if v.type.ndim == 1 else self.reshaped(node, v, [self.size(node, v)])

        return self._together(node, [flat(a), flat(b)])

    def _together(self, node, parts: list) -> Array:
        """Arrays with the same number of dimensions behind each other."""
        kind, rest = Type(parts[0].type.name), [self.length(parts[0], k) for k in range(1, parts[0].type.ndim)]
        total = integer(0)
        for p in parts:
            kind = kind if p.type.name == kind.name else promote(node, kind, Type(p.type.name))
            total = self.arithmetic(node, ast.Add(), total, self.length(p, 0))
            for k, n in enumerate(rest):
                self.check(node, f"{self.length(p, k + 1).text} == {n.text}", ValueError, "arrays of different sizes are put together")
        made = self.allocated(node, Type(kind.name, parts[0].type.ndim), [self.atom(total), *rest])
        first = integer(0)
        for p in parts:
            lengths = [self.length(p, k) for k in range(p.type.ndim)]

            def body(indices, p=p, first=first):
                row = self.narrow(self.arithmetic(node, ast.Add(), first, indices[0]), node)
                texts = ",".join(i.text for i in (row, *indices[1:]))
                v = self.coerce(node, self.at(node, p, indices), kind)
                self.emit(node, f"{made.name}[{texts}] = {self.stored(v, made.type, node)}")

            self.loops(node, lengths, body)
            first = self.atom(self.arithmetic(node, ast.Add(), first, lengths[0]))
        return made

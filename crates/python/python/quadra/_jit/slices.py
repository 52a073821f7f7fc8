"""Parts of arrays: elements, slices, and parts of parts."""

from __future__ import annotations

import ast
from dataclasses import replace

from .arrays import Array, View
from .types import INT, Refused, Type
from .value import Value, integer


class Slices:
    """Part of the translator."""

    def subscript(self, node, base: Array):
        """`base[…]`: an element, a view, or an array of chosen elements."""
        items = self.items(node, base)
        if any(self.is_new_axis(i) for i in items):
            return self.widened(node, base, items)
        parts = self.parts(node, base, items)
        if any(isinstance(p, Array) for p in parts):
            return self.chosen(node, base, parts)
        if not all(isinstance(p, Value) for p in parts):
            return self.part(node, base, parts)
        if base.view is not None:
            parts = [self.inside(node, base, k, p) for k, p in enumerate(parts)]
        return self.at(node, base, parts)

    def parts(self, node, base: Array, items: list) -> list:
        """For each dimension an index, an array of indices or a slice; a mask of all dimensions stands alone."""
        parts = []
        for k, item in enumerate(items):
            if isinstance(item, ast.Slice):
                part = self.slice(node, item, base, k)
            elif isinstance(item, ast.List) and item.elts:
                part = self.listed(item, [item], None)
            else:
                part = self.array_of(item)
            # A tuple with a name. Of slices, there are three numbers.
            parts += part if isinstance(part, list) else [part]
            if not isinstance(item, ast.Slice) and not all(isinstance(p, (Value, Array)) for p in (part if isinstance(part, list) else [part])):
                raise Refused(node, "an index is a number, a slice, or an array of positions", "convert it: int(x)")
        if len(parts) > base.type.ndim:
            raise Refused(node, f"{len(parts)} indices for {base.type.ndim} dimensions")
        if len(parts) == 1 and isinstance(parts[0], Array) and parts[0].type.is_bool and parts[0].type.ndim == base.type.ndim:
            return parts
        return parts + [self.slice(node, ast.Slice(), base, k) for k in range(len(parts), base.type.ndim)]

    def part(self, node, base: Array, parts: list) -> Array:
        """The view that indices and slices, of which there is one at least, give."""
        if base.name is None and base.view is None:
            base = self.materialised(node, base)
        lengths, chosen = [], []
        for k, part in enumerate(parts):
            if isinstance(part, Value):
                chosen.append(self.inside(node, base, k, part))
            else:
                first, step, length = part
                chosen.append((first, step, len(lengths)))
                lengths.append(length)
        view = View(base.name, [c.text if isinstance(c, Value) else c for c in chosen])
        if base.view is not None:
            view = View(base.view.name, [p if isinstance(p, str) else self._within(node, p, chosen[p[2]]) for p in base.view.parts])
        return Array(Type(base.type.name, len(lengths)), None, view, lengths, None, frozenset([view.name]))

    def _within(self, node, outer, inner):
        """An index or a slice of a dimension that is a slice itself."""
        first, step, _ = outer
        if isinstance(inner, Value):
            return self.narrow(self.arithmetic(node, ast.Add(), self.times(node, inner, step), first), node).text
        place = self.arithmetic(node, ast.Add(), self.times(node, inner[0], step), first)
        if isinstance(step, int) and isinstance(inner[1], int):
            return self.atom(place), step*inner[1], inner[2]
        by = inner[1] if isinstance(inner[1], Value) else integer(inner[1])
        return self.atom(place), self.atom(self.times(node, by, step)), inner[2]

    def times(self, node, v: Value, step) -> Value:
        """A place in steps of a slice."""
        if isinstance(step, int):
            return v if step == 1 else self.arithmetic(node, ast.Mult(), v, integer(step))
        return self.arithmetic(node, ast.Mult(), v, step)

    def inside(self, node, base: Array, k: int, index: Value) -> Value:
        """The place that an index names along a dimension. Whether it is one of a view that leaves elements out is checked."""
        length = self.length(base, k)
        place = Value(self.position(node, index, length), INT, 0, self.longest)
        if base.view is None or self._whole(base, k):
            return place
        place = self.atom(place)
        self.check(node, f"{place.text} >= 0 && {place.text} < {length.text}", IndexError, "an index beyond a part of an array")
        return place

    def _whole(self, base: Array, k: int) -> bool:
        """Whether a dimension of a view is one of the array: all elements, in their order."""
        for at, part in enumerate(base.view.parts):
            if not isinstance(part, str) and part[2] == k:
                size = (f"numel({base.view.name})", f"size({base.view.name},{at})")
                return part[0].constant == 0 and part[1] == 1 and self.length(base, k).text in size
        return False

    def place(self, node, view: View, indices: list[Value]) -> str:
        texts = []
        for part in view.parts:
            if isinstance(part, str):
                texts.append(part)
                continue
            first, step, k = part
            v = self.times(node, indices[k], step)
            if first.constant != 0:
                v = self.arithmetic(node, ast.Add(), v, first)
            texts.append(self.narrow(v, node).text)
        return f"{view.name}[{','.join(texts)}]"

    def spot(self, node, a: Array, indices: list[Value]) -> str:
        """The text of an element at a place that is one, of a variable or a view."""
        return self.place(node, a.view, indices) if a.view is not None else f"{a.name}[{','.join(i.text for i in indices)}]"

    def items(self, node, base: Array) -> list:
        """The indices of a subscript, with a slice for each dimension that `...` stands for."""
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        dots = [k for k, i in enumerate(items) if isinstance(i, ast.Constant) and i.value is ...]
        if len(dots) > 1:
            raise Refused(node, "an index with '...' twice")
        for k in dots:
            taken = sum(not self.is_new_axis(i) for i in items) - 1
            items = [*items[:k], *(ast.copy_location(ast.Slice(), node) for _ in range(base.type.ndim - taken)), *items[k + 1:]]
        return items

    def is_new_axis(self, item) -> bool:
        """Whether an index is `None` or `numpy.newaxis`."""
        return isinstance(item, ast.Constant) and item.value is None or isinstance(item, ast.Attribute) and item.attr == "newaxis"

    def widened(self, node, base: Array, items: list) -> Array:
        """An array with more axes, of length one."""
        rest = [i for i in items if not self.is_new_axis(i)]
        index = rest[0] if len(rest) == 1 else ast.Tuple(rest, ast.Load())
        inner = self.subscript(ast.copy_location(ast.Subscript(node.value, index, ast.Load()), node), base) if rest else base
        if not isinstance(inner, Array):
            raise Refused(node, "a new axis of a number")
        new, taken = [], 0
        for item in items:
            new.append(None if self.is_new_axis(item) else taken)
            taken += isinstance(item, ast.Slice)
        # An index that is a number takes its axis away.
        new = [n for n, item in zip(new, items) if n is None or isinstance(item, ast.Slice)]
        new += range(taken, inner.type.ndim)
        lengths = [integer(1) if n is None else self.length(inner, n) for n in new]
        uses = inner.uses | ({inner.name} if inner.name else set())
        return Array(
            Type(inner.type.name, len(new)), None, None, lengths,
            lambda indices: self.at(node, inner, [i for i, n in zip(indices, new) if n is not None]), uses,
            inner.view.name if inner.view else inner.name,
        )

    def slice(self, node, s: ast.Slice, base: Array, k: int):
        """First element, step and length of a slice."""
        n = self.length(base, k)
        step = integer(1) if s.step is None else self.narrow(self.as_int(self.number(s.step)), node)
        if not step.type.is_int or step.constant == 0:
            raise Refused(node, "the step of a slice is no integer other than 0")
        if step.constant is not None and step.constant < 0:
            return self._backward(node, s, n, step.constant)
        if step.constant is None:
            step = self.atom(step)
            self.check(node, f"{step.text} > 0", ValueError, "the step of a slice that is no constant is not positive")
        by = step if step.constant is None else step.constant
        first = self._bound(node, s.lower, n, integer(0))
        last = self._bound(node, s.upper, n, n)
        if first.constant == 0:
            return first, by, self.counted(node, last, by)
        length = self.arithmetic(node, ast.Sub(), last, first)
        length = self.atom(Value(f"max({length.text}, 0)", INT, 0, max(length.high, 0), wide=length.wide))
        return first, by, self.counted(node, length, by)

    def _backward(self, node, s: ast.Slice, n: Value, step: int):
        """A slice whose elements come from the end."""
        first = self.arithmetic(node, ast.Sub(), n, integer(1))
        if s.lower is None and s.upper is None:
            return first, step, self.counted(node, n, -step)

        def bound(bound, default: Value) -> Value:
            if bound is None:
                return default
            v = self.narrow(self.as_int(self.number(bound)), node)
            if not v.type.is_int:
                raise Refused(node, f"a bound of a slice is a {v.type}", "convert it: int(x)")
            v = self.atom(v)
            # The place before the first element is one beyond the end.
            text = f"({v.text} < 0 ? max({v.text} + {n.text}, -1) : min({v.text}, {first.text}))"
            return self.atom(Value(text, INT, -1, max(n.high - 1, -1)))

        begin, end = bound(s.lower, first), bound(s.upper, integer(-1))
        far = self.arithmetic(node, ast.Sub(), begin, end)
        length = self.atom(Value(f"max({far.text}, 0)", INT, 0, max(far.high, 0), wide=far.wide))
        return self.atom(begin), step, self.counted(node, length, -step)

    def counted(self, node, length: Value, step) -> Value:
        """How many elements there are in steps."""
        if step == 1:
            return length
        if isinstance(step, Value):
            return self.atom(Value(f"int(idivide({length.text} + {step.text} - 1, {step.text}))", INT, 0, length.high))
        more = self.arithmetic(node, ast.Add(), length, integer(step - 1))
        return self.atom(self.arithmetic(node, ast.FloorDiv(), more, integer(step)))

    def _bound(self, node, bound, n: Value, default: Value) -> Value:
        if bound is None:
            return default
        v = self.narrow(self.as_int(self.number(bound)), node)
        if not v.type.is_int:
            raise Refused(node, f"a bound of a slice is a {v.type}", "convert it: int(x)")
        if v.constant == 0:
            return integer(0)
        if v.low >= 0:
            text, high = f"min({v.text}, {n.text})", min(v.high, n.high)
        elif v.constant is not None:
            text, high = f"max({n.text} - {-v.constant}, 0)", n.high
        else:
            origin = v.text
            v = self.atom(v)
            text, high = f"({v.text} < 0 ? max({v.text} + {n.text}, 0) : min({v.text}, {n.text}))", n.high
            return replace(self.atom(Value(text, INT, 0, high)), origin=f"{origin} of {n.text}")
        return replace(self.atom(Value(text, INT, 0, high)), origin=text)

"""Arrays in jitted functions: elements, views, and expressions of whole arrays, which become loops."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Callable

import numpy

from .types import INT, STRONG, Refused, Type, array_of, bounds, checked_array, element, promote
from .value import Evaluated, Known, Value, integer, number


@dataclass
class View:
    """A part of an array: for each dimension of the array an index, or first element and step of a dimension of the view."""

    name: str
    #: Texts of indices, or triples of first element, step (an integer, or a value) and the number of the view's dimension.
    parts: list


@dataclass
class Array:
    """An array: a variable, a view of one, or an expression that is computed element by element."""

    type: Type
    #: The variable.
    name: str | None = None
    view: View | None = None
    lengths: list[Value] | None = None
    compute: Callable | None = None
    #: Variables that the elements are computed from.
    uses: frozenset = field(default_factory=frozenset)
    #: The variable whose elements an expression shows in another shape.
    of: str | None = None
    #: The parts of variables whose elements, each at its own place, an expression is computed from; `None` if that is not known.
    parts: frozenset | None = None


class Arrays:
    """Part of the translator."""

    def length(self, a: Array, k: int) -> Value:
        if a.lengths is not None:
            return a.lengths[k]
        text = f"numel({a.name})" if a.type.ndim == 1 else f"size({a.name},{k})"
        return Value(text, INT, 0, self.longest)

    def ones(self, a: Array) -> frozenset:
        """The axes along which an array has length one by its text: they fit to all lengths."""
        return frozenset(k for k in range(a.type.ndim) if self.length(a, k).constant == 1)

    def named(self, type: Type, name: str, ones: frozenset) -> Array:
        """The array in a variable, of which such axes are known."""
        plain = Array(type, name)
        if ones:
            plain.lengths = [integer(1) if k in ones else self.length(Array(type, name), k) for k in range(type.ndim)]
        return plain

    def size(self, node, a: Array) -> Value:
        total = self.length(a, 0)
        for k in range(1, a.type.ndim):
            total = self.arithmetic(node, ast.Mult(), total, self.length(a, k))
        return total

    # Elements

    def position(self, node, index: Value, length: Value) -> str:
        """An index of Python, of which negative ones count from the end."""
        index = self.as_int(index)
        if not index.type.is_int:
            raise Refused(node, f"an index is a {index.type}", "convert it: int(x)")
        index = self.narrow(index, node)
        if index.low >= 0:
            return index.text
        if index.constant is not None:
            return f"{length.text} - {-index.constant}"
        if index.high < 0:
            return f"{length.text} + {index.text}"
        index = self.atom(index)
        return f"({index.text} < 0 ? {index.text} + {length.text} : {index.text})"

    def at(self, node, a: Array, indices: list[Value]) -> Value:
        """An element."""
        if a.compute is not None:
            return a.compute(indices)
        if a.view is not None:
            return self._element(self.place(node, a.view, indices), a.type)
        texts = [self.position(node, i, self.length(a, k)) for k, i in enumerate(indices)]
        return self._element(f"{a.name}[{','.join(texts)}]", a.type)

    def _element(self, text: str, type: Type) -> Value:
        scalar = Type(type.name)
        if scalar.is_float or scalar.is_complex:
            return Value(text, scalar)
        low, high = bounds(type.name)
        if type.name == "b1":
            return Value(f"({text} != 0)", scalar, 0, 1)
        wide = type.name in ("i8", "u4")
        return Value(f"int64({text})" if wide else f"int({text})", scalar, low, high, wide=wide)

    # Whole arrays

    def each(self, node, operands: list, compute) -> Array:
        """An array whose elements are computed from those of arrays and from numbers."""
        operands = [a if isinstance(a, (Array, Value)) else self.among_arrays(node, a) for a in operands]
        arrays = [a for a in operands if isinstance(a, Array)]
        ndim = max(a.type.ndim for a in arrays)
        lengths = self.common(node, arrays, ndim)
        operands = [self.atom(a) if isinstance(a, Value) else a for a in operands]

        def at(indices):
            return compute(*(self.at(node, a, self.aligned(a, indices)) if isinstance(a, Array) else a for a in operands))

        # What type the elements have: computed once without keeping what that emits.
        outer, self.lines = self.lines, []
        type = at([Value("0", INT, 0, self.longest, atom=True)] * ndim).type
        self.lines = outer
        name = STRONG.get(type.name, type.name)
        uses = frozenset().union(*(a.uses | ({a.name} if a.name else set()) for a in arrays))
        parts = [self.parts_of(a) for a in arrays]
        parts = None if None in parts or any(a.type.ndim != ndim for a in arrays) else frozenset().union(*parts)
        return Array(Type(name, ndim), None, None, lengths, at, uses, parts=parts)

    def among_arrays(self, node, v) -> Array:
        """A tuple or a list that is computed with arrays, as NumPy takes it."""
        if isinstance(v, Known) or v is None:
            raise Refused(node, f"{'a text' if isinstance(v, Known) and v.value is not None else 'None'} among arrays", "compute with numbers and arrays")
        return self.items_array(node, v)

    def parts_of(self, a: Array) -> frozenset | None:
        """The parts of variables that an array is, or is computed from element by element."""
        if a.compute is not None:
            return a.parts
        view = a.view or View(a.name, [(integer(0), 1, k) for k in range(a.type.ndim)])

        def place(p):
            return "" if isinstance(p, str) else (p[0].origin or p[0].text, p[1] if isinstance(p[1], int) else p[1].text, p[2])

        return frozenset([(view.name, tuple(place(p) for p in view.parts))])

    def _meets_itself(self, target: Array, value: Array, written: str) -> bool:
        """Whether an element of a value may be computed from another element of the target than the one that it is stored in.

        It may not if all slices of both are the same, whatever the indices beside them are.
        """
        own, parts = self.parts_of(target), self.parts_of(value)
        return own is None or parts is None or any(p not in own for p in parts if p[0] == written)

    def common(self, node, arrays: list, ndim: int) -> list[Value]:
        """The lengths of arrays that are combined: axes are counted from the last, and those that `None` made fit to all."""
        lengths = [integer(1)]*ndim
        for a in arrays:
            for k in range(a.type.ndim):
                n, at = self.length(a, k), ndim - a.type.ndim + k
                if n.constant == 1 or n.text == lengths[at].text:
                    continue
                if lengths[at].constant == 1:
                    lengths[at] = n
                else:
                    self.check(node, f"{n.text} == {lengths[at].text}", ValueError, "arrays of different sizes are combined")
        return lengths

    def aligned(self, a: Array, indices: list) -> list[Value]:
        """The indices of an array within a combination with others."""
        last = indices[len(indices) - a.type.ndim:]
        return [integer(0) if self.length(a, k).constant == 1 else i for k, i in enumerate(last)]

    def loops(self, node, lengths: list[Value], body) -> None:
        """Loops over all positions."""
        names = [self.fresh() for _ in lengths]
        for name, length in zip(names, lengths):
            self.emit(node, f"for {name} = 0..{length.text}-1")
        body([Value(name, INT, 0, max(length.high - 1, 0), atom=True) for name, length in zip(names, lengths)])
        for _ in names:
            self.emit(node, "endfor")

    def allocated(self, node, type: Type, lengths: list[Value], name: str | None = None) -> Array:
        """A new array of zeros."""
        if not 1 <= type.ndim <= 4:
            raise Refused(node, "arrays have 1 to 4 dimensions")
        name = name or self.fresh()
        lengths = [self.narrow(v, node) for v in lengths]
        kind = array_of(type.name, type.ndim)
        self.emit(node, f"{name} : {checked_array(type.name, type.ndim)} = {kind}({', '.join(v.text for v in lengths)})")
        return self.named(type, name, frozenset(k for k, v in enumerate(lengths) if v.constant == 1))

    def stored(self, v: Value, type: Type, node) -> str:
        """The text of a number as an element."""
        to = Type(type.name)
        if to.is_complex:
            return v.text if v.type.is_complex else self.to_complex(node, v, to).text
        if v.type.is_complex:
            raise Refused(node, f"{v.type} is stored as {to}", "store z.real or abs(z), or make the array complex: numpy.zeros(n, complex)")
        if to.is_float:
            return v.text if v.type.is_float else f"float({v.text})"
        if to.is_bool:
            return self.truth(v).text
        if v.type.is_float:
            from .functions import whole

            return whole(self, node, v, to).text
        return v.text

    def materialised(self, node, a: Array, fresh: bool = False, name: str | None = None) -> Array:
        """The array in a variable."""
        if a.name is not None and not fresh:
            return a
        lengths = [self.length(a, k) for k in range(a.type.ndim)]
        made = self.allocated(node, a.type, lengths, name)

        def body(indices):
            v = self.at(node, a, indices)
            self.emit(node, f"{made.name}[{','.join(i.text for i in indices)}] = {self.stored(v, a.type, node)}")

        self.loops(node, lengths, body)
        return made

    def store_items(self, node, target: Array, values: list) -> None:
        """`target[…] = a, b, c`: a number for each element of an array with one dimension."""
        if target.type.ndim != 1 or not all(isinstance(v, Value) for v in values):
            raise Refused(node, "a tuple of numbers is stored in a part with one dimension")
        self.check(node, f"{self.length(target, 0).text} == {len(values)}", ValueError, f"{len(values)} numbers for another number of elements")
        values = [self.atom(v) for v in values]
        for k, v in enumerate(values):
            self.emit(node, f"{self.spot(node, target, [integer(k)])} = {self.stored(v, target.type, node)}")

    def store_all(self, node, target: Array, value, op=None) -> None:
        """`target[…] = value`, or `target op= value`."""
        if isinstance(value, Array):
            if value.type.ndim > target.type.ndim:
                raise Refused(node, "an array with more dimensions is stored in one with less")
            written = target.view.name if target.view else target.name
            if (written in value.uses or value.name == written) and self._meets_itself(target, value, written):
                # All elements are computed before the first is written.
                value = self.materialised(node, value, fresh=True)
            self.common(node, [target, value], target.type.ndim)
        else:
            value = self.atom(value)

        def body(indices):
            v = self.at(node, value, self.aligned(value, indices)) if isinstance(value, Array) else value
            place = self.spot(node, target, indices)
            if op is not None:
                v = self.arithmetic(node, op, self._element(place, target.type), v)
                if v.type.is_float and target.type.is_int:
                    raise Refused(node, "floats are added in place to integers")
            self.emit(node, f"{place} = {self.stored(v, target.type, node)}")

        self.loops(node, [self.length(target, k) for k in range(target.type.ndim)], body)

    def dtype(self, node) -> str:
        """The type of elements that an expression names."""
        found = self.resolve(node)
        if found is None and isinstance(node, ast.Attribute) and node.attr == "dtype":
            base = self.expression(node.value)
            if isinstance(base, Array):
                return base.type.name
        if found is None and isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = node.value
        try:
            name = element(found) if found is not None else None
        except TypeError:
            name = None
        if name is None:
            raise Refused(node, f"'{ast.unparse(node)}' is no type of elements of the subset", "bool, int8 to int64, uint8 to uint32, float32, float64, complex64, complex128")
        return name

    def make(self, node, function):
        """A call that makes an array; `None` for others."""
        makers = {numpy.zeros: 0, numpy.empty: 0, numpy.ones: 1, numpy.full: None}
        like = {numpy.zeros_like: 0, numpy.empty_like: 0, numpy.ones_like: 1, numpy.full_like: None}
        try:
            more = function in (numpy.arange, numpy.array, numpy.asarray, numpy.linspace, numpy.copy, numpy.ascontiguousarray)
            known = function in makers or function in like or more
        except TypeError:
            return None
        if not known:
            return None
        named = {k.arg: k.value for k in node.keywords}
        args = list(node.args)
        dtype = named.pop("dtype", None)
        if function in makers and len(args) > (2 if function is numpy.full else 1) and dtype is None:
            dtype = args.pop()
        for name in ("shape", "fill_value"):
            if name in named and len(args) == (name == "fill_value"):
                args.append(named.pop(name))
        if named:
            raise Refused(node, f"the argument '{next(iter(named))}' is not in the subset")
        if function in (numpy.array, numpy.asarray):
            dtype = args.pop() if dtype is None and len(args) == 2 else dtype
            return self.listed(node, args, dtype)
        if function is numpy.linspace:
            return self._spaced(node, args, dtype)
        if function in (numpy.copy, numpy.ascontiguousarray) and len(args) != 1:
            raise Refused(node, f"'{ast.unparse(node.func)}' takes one array")
        if function in (numpy.copy, numpy.ascontiguousarray):
            return self.materialised(node, self.expression(args[0]), fresh=True)
        if function is numpy.arange:
            return self._range_array(node, args, dtype)
        if len(args) != 1 + (function in (numpy.full, numpy.full_like)):
            raise Refused(node, f"'{ast.unparse(node.func)}' with these arguments is not in the subset", "it takes a shape, or an array, and what fills it")
        fill = self.number(args[1]) if function in (numpy.full, numpy.full_like) else None
        fill = fill if fill is not None else number(1.0) if {**makers, **like}[function] == 1 else None
        shape = self.expression(args[0])
        if function in like:
            shape = shape if isinstance(shape, (Array, Value)) else self.among_arrays(node, shape)
            if not isinstance(shape, Array):
                raise Refused(node, f"'{ast.unparse(node.func)}' of what is no array", "numpy.zeros makes one of a shape")
            lengths = [self.length(shape, k) for k in range(shape.type.ndim)]
            name = self.dtype(dtype) if dtype is not None else shape.type.name
        else:
            lengths = self.lengths_given(node, shape)
            implied = STRONG.get(fill.type.name, fill.type.name) if function is numpy.full else "f8"
            name = self.dtype(dtype) if dtype is not None else implied
        lengths = [self.atom(v) for v in lengths]
        for v in lengths:
            if v.low < 0 and v.constant is None:
                self.check(node, f"{v.text} >= 0", ValueError, "negative dimensions are not allowed")
        made = self.allocated(node, Type(name, len(lengths)), lengths)
        if fill is not None:
            self.store_all(node, made, fill)
        return made

    def lengths_given(self, node, shape) -> list:
        """The lengths that an argument names: an integer, or a tuple or a list of integers."""
        lengths = shape if isinstance(shape, list) else getattr(shape, "items", None) or [shape]
        if not all(isinstance(v, Value) and (v.type.is_int or v.type.is_bool) for v in lengths):
            raise Refused(node, "a shape is an integer, or a tuple of integers", "convert it: int(x)")
        return lengths

    def listed(self, node, args, dtype) -> Array:
        """`numpy.array` of numbers, of rows of numbers, or of an array."""
        if len(args) != 1:
            raise Refused(node, "numpy.array of one list is in the subset")
        if not isinstance(args[0], (ast.List, ast.Tuple)):
            name = self.named_list(args[0])
            base = self.list_array(node, name, True) if name else self.comprehension(args[0]) if isinstance(args[0], ast.ListComp) else self.expression(args[0])
            base = self.items_array(node, base) if isinstance(base, list) else base
            if not isinstance(base, Array):
                raise Refused(node, "numpy.array of what is no list and no array")
            to = None if dtype is None else Type(self.dtype(dtype))
            from .functions import convert

            return self.materialised(node, base if to is None else self.each(node, [base], lambda v: convert(self, node, v, to)), fresh=True)
        if not args[0].elts and dtype is None:
            return self.allocated(node, Type("f8", 1), [integer(0)])
        items = [self.expression(x) for x in args[0].elts]
        if all(isinstance(v, Value) for v in items) and items:
            return self.array_of_rows(node, [items], False, dtype)
        made = self.items_array(node, items)
        return made if dtype is None else self.listed(node, [ast.copy_location(Evaluated(made), node)], dtype)

    def array_of_rows(self, node, rows: list, nested: bool, dtype=None) -> Array:
        """An array of numbers that are computed already: rows of the same length, or one row as an array with one dimension."""
        values = [[self.atom(v) for v in r] for r in rows]
        kind = values[0][0].type
        for v in (v for r in values for v in r):
            kind = kind if v.type == kind else promote(node, kind, v.type)
        name = self.dtype(dtype) if dtype is not None else STRONG.get(kind.name, kind.name)
        lengths = [integer(len(rows)), integer(len(rows[0]))] if nested else [integer(len(rows[0]))]
        made = self.allocated(node, Type(name, len(lengths)), lengths)
        for m, r in enumerate(values):
            for n, v in enumerate(r):
                self.emit(node, f"{made.name}[{f'{m},{n}' if nested else n}] = {self.stored(v, made.type, node)}")
        return made

    def _spaced(self, node, args, dtype) -> Array:
        """`numpy.linspace(first, last, n)`."""
        if len(args) not in (2, 3):
            raise Refused(node, "numpy.linspace(first, last, n) is in the subset")
        first, last = (self.atom(self.coerce(node, self.as_int(self.number(a)), Type("f8"))) for a in args[:2])
        n = self.atom(self.narrow(self.as_int(self.number(args[2])), node)) if len(args) == 3 else integer(50)
        self.check(node, f"{n.text} >= 0", ValueError, "a negative number of samples")
        step = self.declared("scalar'double", Value(f"(({last.text} - {first.text}) / float(max({n.text} - 1, 1)))", Type("f8")))
        made = self.allocated(node, Type(self.dtype(dtype) if dtype is not None else "f8", 1), [n])

        def body(indices):
            i = indices[0].text
            v = Value(f"({i} > 0 && {i} == {n.text} - 1 ? {last.text} : float({i})*{step.text} + {first.text})", Type("f8"))
            self.emit(node, f"{made.name}[{i}] = {self.stored(v, made.type, node)}")

        self.loops(node, [self.length(made, 0)], body)
        return made

    def _range_of_floats(self, node, values: list, dtype) -> Array:
        values = [self.atom(self.coerce(node, self.as_int(v), Type("f8"))) for v in values]
        first, last = (number(0.0), values[0]) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else number(1.0)
        self.check(node, f"{step.text} != 0.0", ZeroDivisionError, "a range with steps of 0")
        count = self.declared("scalar'double", Value(f"ceil(({last.text} - {first.text})/{step.text})", Type("f8")))
        self.check(node, f"{count.text} < {2**30}.0", ValueError, "a range of more than 2**30 elements")
        length = self.atom(Value(f"int(max({count.text}, 0.0))", INT, 0, 2**30))
        # NumPy adds a difference of the first two elements, which is not the step that was written.
        by = self.declared("scalar'double", Value(f"(({first.text} + {step.text}) - {first.text})", Type("f8")))
        made = self.allocated(node, Type(self.dtype(dtype) if dtype is not None else "f8", 1), [length])

        def body(indices):
            v = Value(f"({first.text} + float({indices[0].text})*{by.text})", Type("f8"))
            self.emit(node, f"{made.name}[{indices[0].text}] = {self.stored(v, made.type, node)}")

        self.loops(node, [self.length(made, 0)], body)
        return made

    def _range_array(self, node, args, dtype):
        values = [self.number(a) for a in args]
        if any(v.type.is_float for v in values):
            return self._range_of_floats(node, values, dtype)
        step = values.pop().constant if len(values) == 3 else 1
        if not all(v.type.is_int or v.type.is_bool for v in values) or not isinstance(step, int) or step == 0:
            raise Refused(node, "numpy.arange with a step that is no constant", "write a loop, or take numpy.linspace")
        first, last = (integer(0), values[0]) if len(values) == 1 else values
        far = self.arithmetic(node, ast.Sub(), last, first) if step > 0 else self.arithmetic(node, ast.Sub(), first, last)
        far = self.atom(self.narrow(far, node))
        length = self.counted(node, Value(f"max({far.text}, 0)", INT, 0, max(far.high, 0)), abs(step))
        made = self.allocated(node, Type(self.dtype(dtype) if dtype is not None else "i8", 1), [length])

        def body(indices):
            v = self.arithmetic(node, ast.Add(), first, self.arithmetic(node, ast.Mult(), indices[0], integer(step)))
            self.emit(node, f"{made.name}[{indices[0].text}] = {self.stored(v, made.type, node)}")

        self.loops(node, [self.length(made, 0)], body)
        return made

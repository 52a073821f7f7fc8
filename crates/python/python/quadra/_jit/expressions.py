"""Expressions of Python as values of Quasar."""

from __future__ import annotations

import ast
import builtins

import numpy

from . import functions
from .arrays import Array, Arrays
from .comprehensions import Comprehensions
from .histograms import Histograms
from .linear import Linear
from .lists import Lists, is_list
from .numbers import Numbers
from .reductions import METHODS, Reductions
from .selections import Selections
from .shapes import Shapes
from .slices import Slices
from .types import BOOL, FLOAT, INT, STRONG, Refused, Type, bounds, checked_array, element, promote
from .value import Known, Value, constant, integer


#: How many elements an array from outside may have.
LITERAL = 256


class Expressions(Histograms, Linear, Lists, Numbers, Reductions, Selections, Shapes, Slices, Comprehensions, Arrays):
    """Part of the translator: a method for each kind of expression."""

    def expression(self, node):
        """A number (`Value`), an array (`Array`) or a list of these."""
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            raise Refused(node, f"{type(node).__name__} is not in the subset of jitted functions")
        return method(node)

    def number(self, node) -> Value:
        v = self.expression(node)
        if not isinstance(v, Value):
            what = "None" if isinstance(v, Known) and v.value is None else "a text" if isinstance(v, Known) else None
            raise Refused(node, f"a number is needed here, not {what}" if what else "a number is needed here")
        return v

    def _constant(self, node):
        if node.value is None or isinstance(node.value, str):
            return Known(node.value)
        v = constant(node.value)
        if v is None:
            raise Refused(node, f"the constant {node.value!r} is no number of 64 bits")
        return v

    def _name(self, node):
        if node.id in self.lists:
            return self.list_array(node, node.id)
        if node.id in self.locals:
            if node.id not in self.assigned:
                raise Refused(node, f"'{node.id}' may have no value here", "give it a value before the loop or the branch")
            return self.variable(node.id)
        return self.outer(node, self.resolve(node))

    def outer(self, node, found):
        """Something from outside of the function: a number, or a short array, is a constant of it."""
        if isinstance(found, numpy.ndarray):
            return self.outer_array(node, found)
        if isinstance(found, (tuple, list)):
            return [self.outer(node, x) for x in found]
        v = constant(found)
        if v is None:
            raise Refused(node, f"'{ast.unparse(node)}' is no number", "pass it as an argument")
        return v

    def outer_array(self, node, outer, dtype=None) -> Array:
        """An array from outside, as it is when the function is compiled: made once at the beginning. Of a tuple, too."""
        found = numpy.asarray(outer, dtype)
        kind = element(found.dtype)
        if kind is None or not 1 <= found.ndim <= 4 or found.size > LITERAL:
            raise Refused(node, f"'{ast.unparse(node)}' is no number and no short array", "pass it as an argument")
        if id(outer) not in self.outer_arrays:
            line, lines = self.line, self.lines
            self.lines = []
            made = self.allocated(self.tree, Type(kind, found.ndim), [integer(n) for n in found.shape], f"outer_{len(self.outer_arrays)}_")
            for at, x in numpy.ndenumerate(found):
                self.emit(self.tree, f"{made.name}[{','.join(map(str, at))}] = {self.stored(constant(x), made.type, node)}")
            self.outer_arrays[id(outer)] = made, self.lines
            self.lines, self.line = lines, line
        return self.outer_arrays[id(outer)][0]

    def resolve(self, node):
        """The object of Python that a name outside of the function stands for, or `None`."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            try:
                return self.names[node.id]
            except KeyError:
                found = getattr(builtins, node.id, None)
                if found is None:
                    raise Refused(node, f"'{node.id}' is not defined") from None
                return found
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return None if base is None else getattr(base, node.attr, None)
        return None

    def _unaryop(self, node):
        if isinstance(node.op, ast.Not):
            held = self.list_test(node.operand)
            if held is not None:
                return self._unary(node, held)
        v = self.expression(node.operand)
        if isinstance(v, Array):
            return self.each(node, [v], lambda v: self._unary(node, v))
        return self._unary(node, v)

    def _unary(self, node, v: Value) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(f"(!{self.truth(v).text})", BOOL, 0, 1)
        if isinstance(node.op, ast.USub):
            return self.negated(node, v)
        if isinstance(node.op, ast.Invert):
            return self.complement(node, v)
        return v

    def complement(self, node, v: Value) -> Value:
        """All bits the other way."""
        if v.type.name == "b1":
            return Value(f"(1 - {v.text})", v.type, 0, 1)
        if not v.type.is_int:
            raise Refused(node, "the complement of what is no integer")
        # Without a sign, all bits are those of the greatest number.
        all_bits = integer(bounds(v.type.name)[1], v.type) if v.type.name.startswith("u") else integer(-1)
        return self.arithmetic(node, ast.Sub(), all_bits, v)

    def _binop(self, node):
        if is_list(node):
            return self.repeated_list(node)
        a, b = self.expression(node.left), self.expression(node.right)
        if isinstance(node.op, ast.MatMult):
            return self.dot(node, a, b)
        if isinstance(a, Array) or isinstance(b, Array):
            return self.each(node, [a, b], lambda a, b: self.arithmetic(node, node.op, a, b))
        if isinstance(a, list) and isinstance(b, list) and isinstance(node.op, ast.Add):
            return [*a, *b]
        if not isinstance(a, Value) or not isinstance(b, Value):
            raise Refused(node, "arithmetic with what is no number")
        return self.arithmetic(node, node.op, a, b)

    def _same_tuples(self, node, a: list, b: list) -> Value:
        """Whether two tuples of numbers are equal, or are not."""
        if not all(isinstance(v, Value) for v in (*a, *b)):
            raise Refused(node, "a comparison of tuples with what is no number")
        differ = isinstance(node.ops[0], ast.NotEq)
        if len(a) != len(b):
            return constant(differ)
        parts = [self.compared(node, node.ops[0], x, y).text for x, y in zip(a, b)]
        return Value(f"({(' || ' if differ else ' && ').join(parts)})", BOOL, 0, 1) if parts else constant(not differ)

    def _among(self, node, left: Value, items: list) -> Value:
        """Whether a number is one of a tuple, or is not."""
        if not all(isinstance(v, Value) for v in items):
            raise Refused(node, "a comparison with what is no number")
        left, without = self.atom(left), isinstance(node.ops[0], ast.NotIn)
        op = ast.NotEq() if without else ast.Eq()
        parts = [self.compared(node, op, left, self.atom(v)).text for v in items]
        return Value(f"({(' && ' if without else ' || ').join(parts)})", BOOL, 0, 1) if parts else constant(without)

    def _same_known(self, node, op, a, b) -> Value:
        """A comparison with a text or `None`."""
        if not isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            raise Refused(node, "texts have no order here")
        known = isinstance(a, Known) and isinstance(b, Known)
        return constant((known and a.value == b.value) == isinstance(op, (ast.Eq, ast.Is)))

    def _compare(self, node):
        left = self.expression(node.left)
        if len(node.ops) == 1:
            right = node.comparators[0]
            if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(right, (ast.List, ast.Set)):
                right = ast.copy_location(ast.Tuple(right.elts, ast.Load()), right)
            operands = [left, self.expression(right)]
            if any(isinstance(v, Known) for v in operands):
                return self._same_known(node, node.ops[0], *operands)
            if any(isinstance(v, Array) for v in operands):
                return self.each(node, operands, lambda a, b: self.compared(node, node.ops[0], a, b).with_type(Type("b1")))
            if all(isinstance(v, list) for v in operands) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
                return self._same_tuples(node, *operands)
            if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(left, Value) and isinstance(operands[1], list):
                return self._among(node, *operands)
            if not all(isinstance(v, Value) for v in operands):
                raise Refused(node, "a comparison with what is no number")
            return self.compared(node, node.ops[0], *operands)
        # Every operand is computed once, and only as far as those before hold.
        if not isinstance(left, Value):
            raise Refused(node, "a number is needed here")
        last = [self.atom(left)]

        def part(op, right):
            def compute():
                v = self.atom(self.number(right))
                result = self.compared(node, op, last[0], v)
                last[0] = v
                return result

            return compute

        return self.sequence(node, [part(op, right) for op, right in zip(node.ops, node.comparators)])

    def sequence(self, node, parts, all_of: bool = True) -> Value:
        """`and` (or `or`) of what the parts give, each computed only if those before leave it open."""
        result = self.truth(parts[0]())
        for part in parts[1:]:
            outer, self.lines = self.lines, []
            v = self.truth(part())
            inner, self.lines = self.lines, outer
            if not inner:
                text = f"({result.text} {'&&' if all_of else '||'} {v.text})"
                result = Value(text, BOOL if result.type == v.type == BOOL else Type("b1"), 0, 1)
                continue
            name = self.fresh()
            self.emit(node, f"{name} : int = {result.text}")
            self.emit(node, f"if {name} {'!=' if all_of else '=='} 0")
            self.lines += inner
            self.emit(node, f"{name} = {v.text}")
            self.emit(node, "endif")
            result = Value(name, BOOL, 0, 1, atom=True)
        return result

    def _boolop(self, node):
        def operand(part):
            held = self.list_test(part) if self.testing else None
            v = self.number(part) if held is None else held
            if not v.type.is_bool and not self.testing:
                raise Refused(part, "'and' and 'or' of what is no truth value give one of the operands", "compare it: x != 0")
            return v

        return self.sequence(node, [lambda p=p: operand(p) for p in node.values], isinstance(node.op, ast.And))

    def test(self, node) -> Value:
        """A condition."""
        held = self.list_test(node)
        if held is not None:
            return held
        outer, self.testing = self.testing, True
        v = self.truth(self.number(node))
        self.testing = outer
        return v

    def _ifexp(self, node):
        condition = self.test(node.test)
        if condition.constant is not None:
            return self.expression(node.body if condition.constant else node.orelse)
        condition = self.atom(condition)
        outer, self.lines = self.lines, []
        a = self.number(node.body)
        first, self.lines = self.lines, []
        b = self.number(node.orelse)
        second, self.lines = self.lines, outer
        both = a.type.is_bool and b.type.is_bool
        if a.type != b.type and not both and a.constant is None and b.constant is None:
            raise Refused(node, f"the value is {a.type} in one case and {b.type} in the other", "convert one of them: float(x)")
        to = a.type if a.type == b.type else Type("b1") if both else promote(node, a.type, b.type)
        self.lines = first
        a = self.coerce(node, a, to)
        first, self.lines = self.lines, second
        b = self.coerce(node, b, to)
        second, self.lines = self.lines, outer
        wide = a.wide or b.wide
        if wide:
            a, b = self.wide(a), self.wide(b)
        low, high = min(a.low, b.low), max(a.high, b.high)
        if not first and not second:
            return Value(f"({condition.text} ? {a.text} : {b.text})", to, low, high, wide=wide)
        name = self.fresh()
        self.emit(node, f"{name} : {self.quasar(Value('', to, wide=wide))} = 0")
        self.emit(node, f"if {condition.text}")
        self.lines += first
        self.emit(node, f"{name} = {a.text}")
        self.emit(node, "else")
        self.lines += second
        self.emit(node, f"{name} = {b.text}")
        self.emit(node, "endif")
        return Value(name, to, low, high, atom=True, wide=wide)

    def _tuple(self, node):
        return [self.expression(item) for item in node.elts]

    def _generatorexp(self, node):
        # What reduces it takes it for an array.
        return self.comprehension(node)

    def _attribute(self, node):
        found = self.resolve(node)
        if found is not None:
            return self.outer(node, found)
        base = self.expression(node.value)
        if node.attr in ("real", "imag") and isinstance(base, (Array, Value)):
            part = lambda v: self.complex_part(node, v, node.attr)
            return self.each(node, [base], part) if isinstance(base, Array) else part(base)
        if isinstance(base, Array):
            if node.attr == "shape":
                return [self.length(base, k) for k in range(base.type.ndim)]
            if node.attr == "T":
                return self.transposed(base)
            if node.attr == "flat":
                return self.reshaped(node, base, [self.size(node, base)])
            if node.attr == "ndim":
                return integer(base.type.ndim)
            if node.attr == "size":
                return self.size(node, base)
        raise Refused(node, f"'.{node.attr}' is not in the subset")

    def _subscript(self, node):
        name = self.named_list(node.value)
        if name is not None and not isinstance(node.slice, ast.Slice):
            return self.list_element(node, name, self.list_place(node, name, node.slice))
        base = self.expression(node.value)
        if isinstance(base, list):
            if isinstance(node.slice, ast.Slice):
                s = node.slice
                bounds = [None if b is None else self.number(b).constant for b in (s.lower, s.upper, s.step)]
                if any(b is not None and v is None for b, v in zip((s.lower, s.upper, s.step), bounds)):
                    raise Refused(node, "a part of a tuple is named by constants")
                return base[slice(*bounds)]
            index = self.number(node.slice)
            outer = self.resolve(node.value)
            if index.constant is None and isinstance(outer, (tuple, list)) and all(type(x) in (int, float) for x in outer):
                # Numbers of Python, from an array that is made once.
                kind = type(sum(outer))
                return self.at(node, self.outer_array(node, outer, kind), [index]).with_type(INT if kind is int else FLOAT)
            if index.constant is None or not -len(base) <= index.constant < len(base):
                raise Refused(node, "a part of a tuple is named by a constant")
            return base[index.constant]
        if not isinstance(base, Array):
            raise Refused(node, "only arrays and tuples are indexed")
        return self.subscript(node, base)

    def _call(self, node):
        function = None
        if isinstance(node.func, ast.Attribute) and self.named_list(node.func.value):
            return self.list_method(node, node.func.value.id)
        if isinstance(node.func, ast.Attribute) and self.resolve(node.func) is None:
            return self.method(node, self.expression(node.func.value), node.func.attr)
        function = self.resolve(node.func)
        if function is builtins.len and self.named_list(node.args[0]):
            return self.list_count(node, node.args[0].id)
        if function is builtins.len:
            base = self.expression(node.args[0])
            return integer(len(base)) if isinstance(base, list) else self.length(base, 0)
        from . import as_jitted

        jitted = as_jitted(function)
        if jitted is not None:
            outputs = self.call_jitted(node, jitted)
            return outputs[0] if len(outputs) == 1 else outputs
        if any(isinstance(a, ast.Starred) for a in node.args):
            raise Refused(node, "arguments with a star")
        made = self.make(node, function)
        if made is not None:
            return made
        if function in (builtins.divmod, numpy.divmod) and len(node.args) == 2:
            a, b = (self.atom(self.number(x)) for x in node.args)
            return [self.arithmetic(node, op(), a, b) for op in (ast.FloorDiv, ast.Mod)]
        reduced = self.reduction_called(node, function)
        if reduced is not None:
            return reduced
        shaped = self.shaped_called(node, function)
        if shaped is not None:
            return shaped
        for other in (self.random_called, self.outer_called, self.rearranged, self._ordered, self.scanned, self.linear_called, self.close, self.taken, self.histogram):
            found = other(node, function)
            if found is not None:
                return found
        if node.keywords:
            raise Refused(node, f"named arguments of '{ast.unparse(node.func)}' are not in the subset")
        values = [self.expression(a) for a in node.args]
        if any(isinstance(v, Array) for v in values):
            return self.each(node, values, lambda *v: self.known(node, function, list(v)))
        if any(not isinstance(v, Value) for v in values):
            if function in (builtins.min, builtins.max) and len(values) == 1:
                return self.known(node, function, values[0])
            raise Refused(node, f"'{ast.unparse(node.func)}' of a tuple is not in the subset")
        return self.known(node, function, values)

    def scanned(self, node, function):
        """A call of a function of `scans`; `None` for others."""
        from . import scans

        try:
            count, arrays, compute = scans.FUNCTIONS.get(function, (0, 0, None))
        except TypeError:
            return None
        if compute is None:
            return None
        values, named = [self.expression(a) for a in node.args], node.keywords
        name = ast.unparse(node.func)
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

    def _ordered(self, node, function):
        """`numpy.sort` and `numpy.argsort` of an array with one dimension; `None` for others."""
        if function not in (numpy.sort, numpy.argsort):
            return None
        a = self.expression(node.args[0]) if len(node.args) == 1 else None
        stable = all(k.arg == "kind" for k in node.keywords)
        if not isinstance(a, Array) or a.type.ndim != 1 or a.type.is_complex or not stable:
            raise Refused(node, f"'{ast.unparse(node.func)}' with these arguments is not in the subset", "it takes an array of one dimension")
        return self.sorted(node, a) if function is numpy.sort else self.order(node, a)

    def known(self, node, function, values) -> Value:
        found = functions.call(self, node, function, values)
        if found is None:
            raise Refused(
                node, f"'{ast.unparse(node.func)}' is not in the subset of jitted functions",
                "call it outside, or decorate it with quadra.jit if it is a function of yours",
            )
        return found

    def method(self, node, base, name: str):
        """`array.name(…)`, `z.conjugate()`."""
        if name in ("conjugate", "conj") and not node.args and isinstance(base, (Array, Value)):
            part = lambda v: self.complex_part(node, v, name)
            return self.each(node, [base], part) if isinstance(base, Array) else part(base)
        if not isinstance(base, Array):
            raise Refused(node, f"a method of what is no array: '.{name}'")
        if name == "copy" and not node.args:
            return self.materialised(node, base, fresh=True)
        if name == "astype" and len(node.args) == 1:
            to = Type(self.dtype(node.args[0]))
            return self.materialised(node, self.each(node, [base], lambda v: functions.convert(self, node, v, to)), fresh=True)
        if name == "argsort" and not node.args and not node.keywords and base.type.ndim == 1 and not base.type.is_complex:
            return self.order(node, base)
        if name == "sort" and not node.args and not node.keywords and base.type.ndim == 1 and base.compute is None:
            self.store_all(node, base, self.sorted(node, base))
            return None
        if name == "fill" and len(node.args) == 1 and not base.view:
            self.store_all(node, base, self.number(node.args[0]))
            return None
        if name == "clip" and len(node.args) == 2 and not node.keywords:
            values = [base, *(self.number(a) for a in node.args)]
            return self.each(node, values, lambda *v: self.known(node, numpy.clip, list(v)))
        shaped = self.shaped(node, name, base, node.args)
        if shaped is not None:
            return shaped
        found = self.reduction_of(node, METHODS.get(name), [base], node.args)
        if found is None:
            raise Refused(node, f"the method '.{name}' with these arguments is not in the subset")
        return found

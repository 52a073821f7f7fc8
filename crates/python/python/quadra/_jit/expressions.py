"""Expressions of Python as values of Quasar."""

from __future__ import annotations

import ast
import builtins

import numpy

from . import functions
from .arrays import Array, Arrays
from .axes import Axes
from .comprehensions import Comprehensions
from .histograms import Histograms
from .fourier import Fourier
from .linear import Linear
from .lists import Lists, Made, is_list
from .methods import Methods
from .numbers import Numbers
from .reductions import Reductions
from .selections import Selections
from .shapes import Shapes
from .slices import Slices
from .tuples import Tuples
from .types import BOOL, Refused, Type, bounds, element, promote
from .value import Known, Value, constant, integer


#: How many elements an array from outside may have.
LITERAL = 256


class Expressions(Axes, Fourier, Histograms, Linear, Lists, Methods, Numbers, Reductions, Selections, Shapes, Slices, Tuples, Comprehensions, Arrays):
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
        # Tuples are made anew where they are parts of others.
        key = id(outer) if isinstance(outer, numpy.ndarray) else repr(outer)
        if key not in self.outer_arrays:
            line, lines = self.line, self.lines
            self.lines = []
            made = self.allocated(self.tree, Type(kind, found.ndim), [integer(n) for n in found.shape], f"outer_{len(self.outer_arrays)}_")
            for at, x in numpy.ndenumerate(found):
                self.emit(self.tree, f"{made.name}[{','.join(map(str, at))}] = {self.stored(constant(x), made.type, node)}")
            self.outer_arrays[key] = made, self.lines
            self.lines, self.line = lines, line
        return self.outer_arrays[key][0]

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
        v = self.array_of(node.operand)
        if isinstance(v, Array):
            return self.each(node, [v], lambda v: self._unary(node, v))
        if isinstance(v, list) and isinstance(node.op, ast.Not):
            return constant(not v)
        if not isinstance(v, Value):
            raise Refused(node, "an operator of what is no number", "compare it, if it may be None: x is None")
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

    def among_elements(self, node, left: Value, a: Array) -> Value:
        """Whether a number is an element of an array, or is none."""
        same = self.each(node, [left, a], lambda x, y: self.compared(node, ast.Eq(), x, y).with_type(Type("b1")))
        found = self.reduced(node, "any", same).with_type(BOOL)
        return found if isinstance(node.ops[0], ast.In) else Value(f"(!{found.text})", BOOL, 0, 1)

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
            if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(left, Value) and isinstance(operands[1], Array):
                return self.among_elements(node, *operands)
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
            return self.tuple_subscript(node, base)
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
        if function is builtins.len and len(node.args) != 1:
            raise Refused(node, "'len' takes one argument")
        if function is builtins.len and self.named_list(node.args[0]):
            return self.list_count(node, node.args[0].id)
        if function is builtins.len:
            base = self.expression(node.args[0])
            base = base.items if isinstance(base, Made) and base.times is None and base.array is None else base
            base = self.items_array(node, base) if isinstance(base, Made) else base
            if not isinstance(base, (list, Array)):
                raise Refused(node, "'len' of what is no array, no list and no tuple")
            return integer(len(base)) if isinstance(base, list) else self.length(base, 0)
        from . import as_jitted

        jitted = as_jitted(function)
        if jitted is not None:
            outputs = self.call_jitted(node, jitted)
            return outputs[0] if len(outputs) == 1 else outputs
        return self.function_called(node, function)

    def _evaluated(self, node):
        return node.found

    def function_called(self, node, function):
        """A call of a function of Python or NumPy."""
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise Refused(node, "arguments with a star")
        made = self.make(node, function)
        if made is not None:
            return made
        if function in (builtins.divmod, numpy.divmod) and len(node.args) == 2:
            a, b = (self.atom(self.number(x)) for x in node.args)
            return [self.arithmetic(node, op(), a, b) for op in (ast.FloorDiv, ast.Mod)]
        for other in (
            self.reduction_called, self.shaped_called, self.random_called, self.outer_called, self.along_axis, self.rearranged, self.scanned,
            self.linear_called, self.transform, self.close, self.taken, self.histogram,
        ):
            found = other(node, function)
            if found is not None:
                return found
        if node.keywords:
            raise Refused(node, f"named arguments of '{ast.unparse(node.func)}' are not in the subset")
        values = [self.array_of(a) for a in node.args]
        if any(isinstance(v, Array) for v in values):
            return self.each(node, values, lambda *v: self.known(node, function, list(v)))
        if any(not isinstance(v, Value) for v in values):
            if function in (builtins.min, builtins.max) and len(values) == 1 and isinstance(values[0], list) and values[0]:
                if all(isinstance(v, Value) for v in values[0]):
                    return self.known(node, function, values[0])
            raise Refused(node, f"'{ast.unparse(node.func)}' of what is no number and no array is not in the subset", "pass numbers or arrays")
        return self.known(node, function, values)

    def array_of(self, node):
        """A value of which lists without names are arrays, as NumPy takes them."""
        v = self.expression(node)
        return self.items_array(node, v) if isinstance(v, Made) and (v.items or v.array) else v

    def known(self, node, function, values) -> Value:
        found = functions.call(self, node, function, values)
        if found is None:
            raise Refused(
                node, f"'{ast.unparse(node.func)}' is not in the subset of jitted functions",
                "call it outside, or decorate it with quadra.jit if it is a function of yours",
            )
        return found

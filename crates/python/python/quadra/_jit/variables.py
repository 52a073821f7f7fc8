"""Variables of jitted functions: the types and bounds that they settle on."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

import numpy

from .arrays import Array, View
from .types import Refused, Type, bounds, checked_array, conflict, promote
from .value import SMALL, Known, Value


@dataclass
class Variable:
    type: Type
    low: int
    high: int
    #: How often its bounds have grown.
    grown: int = 0
    #: Axes of an array along which every value that it is given has length one, by its text.
    ones: frozenset = frozenset()


class Variables:
    """Part of the translator."""

    def variable(self, name: str):
        if name in self.tuples:
            return [self.variable(f"{name}_item{k}_") for k in range(self.tuples[name])]
        if name in self.known_names:
            return self.known_names[name]
        if name in self.views:
            return self.views[name]
        if name in self.counters:
            return self.counters[name]
        given = self.parameters.get(name)
        if isinstance(given, Array) and name not in self.table:
            return Array(given.type, self.spelled(name))
        known = self.table[name]
        if known.type.is_array:
            return self.named(known.type, self.spelled(name), known.ones)
        wide = known.type.is_int and (known.low < -SMALL or known.high > SMALL)
        return Value(self.spelled(name), known.type, known.low, known.high, None, True, wide)

    def assign_table(self, node, name: str, v) -> None:
        """Notes that a variable may have this value."""
        type = v.type
        low, high = (v.low, v.high) if isinstance(v, Value) and (type.is_int or type.is_bool) else (0, 0)
        old = self.table.get(name)
        if old is None:
            self.table[name] = Variable(type, low, high)
            return
        if old.type != type:
            old.type = self._joined(node, name, old, v)
        if low < old.low or high > old.high:
            old.grown += 1
            least, greatest = bounds(old.type.name) if (old.type.is_int or old.type.is_bool) and not old.type.is_array else (0, 0)
            # Bounds that grow again and again have no end.
            old.low = min(old.low, low) if old.grown < 4 else least if low < old.low else old.low
            old.high = max(old.high, high) if old.grown < 4 else greatest if high > old.high else old.high

    def _joined(self, node, name: str, old: Variable, v) -> Type:
        a, b = old.type, v.type
        if a.is_array or b.is_array:
            raise conflict(node, name, a, b, "use another name")
        if a.is_bool and b.is_bool:
            return Type("b1")
        exact = self.exact.setdefault(name, {})
        weak = [t for t in (a, b) if t.is_weak]
        if not weak:
            raise conflict(node, name, a, b, "convert the value: numpy.float64(x), for example")
        to = promote(node, a, b)
        for t in weak:
            # A number of Python that becomes one of NumPy must be the same number there.
            if t != to and (t.name, to.name) not in (("float", "f8"), ("int", "i8"), ("float", "c16"), ("complex", "c16"), ("float", "complex"), ("int", "complex")) and not exact.get(t.name, True):
                raise conflict(node, name, a, b, "convert the value: numpy.float32(x), for example")
        return to

    @property
    def exact(self) -> dict:
        return self.__dict__.setdefault("_exact", {})

    def _note_exact(self, name: str, v: Value) -> None:
        known = self.exact.setdefault(name, {})
        same = v.constant is not None and (not v.type.is_float and not v.type.is_complex or complex(numpy.complex64(v.constant)) == v.constant)
        known[v.type.name] = known.get(v.type.name, True) and same

    def give(self, node, name: str, v) -> None:
        """`name = v`."""
        if isinstance(v, Known):
            if name in self.table or name in self.parameters and not isinstance(self.parameters[name], Known):
                raise Refused(node, f"'{name}' is something else elsewhere", "use another name")
            self.known_names[name] = v
            self.assigned.add(name)
            return
        if self.known_names.pop(name, None) is not None and self.loop:
            raise Refused(node, f"'{name}' is something else elsewhere", "use another name")
        if isinstance(v, list):
            raise Refused(node, "a tuple as a variable", "give its parts names: a, b = …")
        if v is None:
            raise Refused(node, "a call without a value")
        if isinstance(v, Array):
            self._give_array(node, name, v)
            return
        if name in self.tuples:
            raise Refused(node, f"'{name}' is a tuple elsewhere", "use another name")
        if name in self.table and self.table[name].type.is_array or isinstance(self.parameters.get(name), Array):
            raise conflict(node, name, "an array", v.type, "use another name")
        if v.type.is_weak:
            self._note_exact(name, v)
        self.assign_table(node, name, v)
        target = self.variable(name)
        v = self.coerce(node, v, target.type)
        v = self.wide(v) if target.wide else self.narrow(v, node)
        kind = f" : {self.quasar(target)}" if name not in self.declared_names else ""
        self.declared_names.add(name)
        self.emit(node, f"{target.text}{kind} = {v.text}")
        self.assigned.add(name)

    def give_counter(self, node, name: str, v: Value, changes: bool) -> None:
        """The variable of a loop; where the body does not change it, it is the counter, whose bounds are known."""
        self.give(node, name, v)
        if not changes:
            self.counters[name] = v

    def give_tuple(self, node, name: str, values: list) -> None:
        """`name = (…)`: a variable for each value."""
        if name in self.table or name in self.parameters or self.tuples.setdefault(name, len(values)) != len(values):
            raise Refused(node, f"'{name}' is something else elsewhere", "use another name")
        if any(not isinstance(v, (Value, Array, list)) for v in values):
            raise Refused(node, "a tuple of what is no number, no array and no tuple of these as a variable", "give its parts names: a, b = …")
        for k, v in enumerate(values):
            part = f"{name}_item{k}_"
            self.give_tuple(node, part, v) if isinstance(v, list) else self.give(node, part, v)
        self.assigned.add(name)

    def exchanged(self, node) -> bool:
        """`a, b = b, a` of arrays that have these names already, as one statement, if the assignment is that."""
        target, value = node.targets[0], node.value
        if len(node.targets) != 1 or not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)):
            return False
        if not all(isinstance(part, ast.Name) for part in (*target.elts, *value.elts)):
            return False
        to, given = [part.id for part in target.elts], [part.id for part in value.elts]
        known = [self.table.get(name) for name in to]
        if len(set(to)) != len(to) or sorted(to) != sorted(given) or None in known:
            return False
        if any(v.type != known[0].type or not v.type.is_array for v in known) or not self.assigned.issuperset(to):
            return False
        if not self.declared_names.issuperset(to) or any(n in self.parameters or n in self.views or n in self.lists for n in to):
            return False
        # Any of them may hold any of the arrays.
        ones = frozenset.intersection(*(v.ones for v in known))
        for v in known:
            v.ones = ones
        left, right = (", ".join(self.spelled(n) for n in names) for names in (to, given))
        self.emit(node, f"[{left}] = [{right}]")
        return True

    def _give_array(self, node, name: str, v: Array) -> None:
        of = v.view.name if v.view is not None else v.of
        if v.view is not None and self._stays(name, v):
            self.views[name] = self._fixed_view(node, v)
            self.assigned.add(name)
            return
        if of is not None and (of in self.stored_spelled() or name in self.stores):
            raise Refused(
                node, f"a part of '{of}' is a view of it, and one of both is written to", "copy it: x[…].copy()"
            )
        # An argument may have any lengths.
        ones = self.ones(v) if name not in self.parameters else frozenset()
        if name in self.table:
            ones &= self.table[name].ones
        self.assign_table(node, name, v)
        self.table[name].ones = ones
        spelled = self.spelled(name)
        if v.name is None:
            made = self.materialised(node, v)
            v = Array(v.type, made.name)
        known = name in self.declared_names
        self.declared_names.add(name)
        self.assigned.add(name)
        if known or not self._named_at_once(v.name, spelled):
            kind = "" if known else f" : {checked_array(v.type.name, v.type.ndim)}"
            self.emit(node, f"{spelled}{kind} = {v.name}")

    def _named_at_once(self, made: str, name: str) -> bool:
        """Gives an array that the statement has just made the name that it is assigned to, if nothing else knows either."""
        if self.began is None:
            return False
        lines = self.lines[self.began:]
        made_here = any(re.match(rf"{made} : (\S+)'checked = \1\(", line[0]) for line in lines)
        if not made_here or any(re.search(rf"\b{name}\b", line[0]) for line in lines):
            return False
        self.lines[self.began:] = [(re.sub(rf"\b{made}\b", name, line[0]), *line[1:]) for line in lines]
        return True

    def _stays(self, name: str, v: Array) -> bool:
        """Whether a name can stand for a view: it has no value yet, and the array that the view is of keeps its name.

        Outside of loops, views that leave elements out are copies where nothing is written to, since their indices would have to be checked.
        """
        of = v.view.name
        if name in self.assigned or name not in self.given_names or name in self.table:
            return False
        if any(self.spelled(n) == of and self.given_names.count(n) > (n not in self.parameters) for n in self.given_names):
            return False
        if self.loop and self.given_names.count(name) == 1:
            # A copy would be an array of every iteration.
            return True
        return all(self._whole(v, k) for k in range(v.type.ndim)) or of in self.stored_spelled() or name in self.stores

    def _fixed_view(self, node, v: Array) -> Array:
        """The view with indices that no later assignment changes."""
        def fixed(text: str) -> str:
            if text.isdigit() or text.isidentifier() and text not in self.parameters and self.given_names.count(text) <= 1:
                return text
            name = self.fresh()
            self.emit(node, f"{name} : int = {text}")
            return name

        def part(p):
            if isinstance(p, str):
                return fixed(p)
            # Later the variables that its bounds were computed from may have other values.
            step = p[1] if isinstance(p[1], int) else replace(p[1], text=fixed(p[1].text), atom=True)
            return replace(p[0], origin=""), step, p[2]

        return replace(v, view=View(v.view.name, [part(p) for p in v.view.parts]))

    def stored_spelled(self) -> set[str]:
        return {self.spelled(n) for n in self.stores}

"""Loops over ranges, arrays and lists."""

from __future__ import annotations

import ast

from .arrays import Array
from .loops import is_range
from .types import INT, Refused
from .value import Value, integer
from .writes import stored_names


def assigned_names(nodes) -> set[str]:
    """Names that statements give values to."""
    found = set()
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                found.add(part.id)
    return found


class Fors:
    """Part of the translator."""

    def _do_for(self, node):
        if node.orelse:
            raise Refused(node, "'else' of a loop")
        if self.named_list(node.iter) is not None:
            self.list_loop(node, node.iter.id)
            return False
        target, call = node.target, node.iter
        if isinstance(call, ast.Call) and is_range(self.resolve(call.func)):
            if not isinstance(target, ast.Name):
                raise Refused(target, "a loop over a range has one variable")
            first, step, last = self._range(call)
            up = step.low > 0
            low, high = (first.low, last.high - 1) if up else (last.low + 1, first.high)
            end = f"{last.text}{'-1' if up else '+1'}"
            if step.low <= 0 <= step.high:
                low, high = min(low, first.low), max(first.high, last.high - 1)
                end = f"({step.text} > 0 ? {last.text}-1 : {last.text}+1)"
            variable = Value("", INT, low, max(low, high))
            by = "" if step.constant == 1 else f"{step.text}.."
            self._loop(node, (first.text, by, end), variable)
            known = [v.constant for v in (first, last, step)]
            if None not in known and len(range(*known)) > 0:
                # There is an iteration.
                self.assigned.add(target.id)
            return False
        base = self.expression(call)
        if not isinstance(base, Array):
            raise Refused(call, "a loop runs over a range or an array", "name what it runs over, and loop over its indices")
        of = base.view.name if base.view is not None else base.of
        if base.type.ndim == 1 and of is not None and of in {self.spelled(n) for n in stored_names(ast.Module(node.body, []))}:
            raise Refused(call, f"a loop over a part of '{of}' writes to it", "loop over its indices")
        if base.type.ndim == 1 or base.view is None:
            base = self.materialised(node, base)
        hidden = self.fresh()
        position = Value(hidden, INT, 0, self.longest - 1, atom=True)
        self.counting(node, hidden, ("0", "", f"{self.length(base, 0).text}-1"), lambda: self.assign(target, self._item(node, base, position)))
        return False

    def _item(self, node, base: Array, position: Value):
        """What a loop over an array gives: an element, or the view of a part with one dimension less."""
        if base.type.ndim == 1:
            return self.at(node, base, [position])
        return self.part(node, base, [position, *(self.slice(node, ast.Slice(), base, k) for k in range(1, base.type.ndim))])

    def _range(self, call):
        values = [self.as_int(self.number(a)) for a in call.args]
        if not 1 <= len(values) <= 3 or any(v.type.is_float or v.type.is_complex for v in values):
            raise Refused(call, "a range of one to three integers is needed")
        step = self.narrow(values[2], call) if len(values) == 3 else integer(1)
        if step.constant == 0:
            raise Refused(call, "the step of a range is 0")
        if step.low <= 0 <= step.high:
            step = self.atom(step)
            self.check(call, f"{step.text} != 0", ValueError, "range() arg 3 must not be zero")
        first, last = (integer(0), values[0]) if len(values) == 1 else values[:2]
        return self.narrow(first, call), step, self.narrow(last, call)

    def _loop(self, node, over: tuple, variable: Value) -> None:
        name = node.target.id
        plain = name not in assigned_names(node.body) and name not in self._used_outside(name) and name not in self.parameters
        if not plain:
            hidden = self.fresh()
            v = Value(hidden, INT, variable.low, variable.high, atom=True)
            self.counting(node, hidden, over, lambda: self.give_counter(node, name, v, name in assigned_names(node.body)))
            self.counters.pop(name, None)
            return
        self.assign_table(node, name, variable)
        self.table[name].grown = 0
        known = self.table[name]
        outer = (known.low, known.high)
        known.low, known.high = variable.low, variable.high
        self.counting(node, self.spelled(name), over, lambda: self.assigned.add(name))
        known.low, known.high = min(outer[0], variable.low), max(outer[1], variable.high)

    def _used_outside(self, name: str) -> set[str]:
        """The name, if it is used elsewhere than in loops over it."""
        inside, everywhere = 0, 0
        for part in ast.walk(self.tree):
            if isinstance(part, ast.Name) and part.id == name:
                everywhere += 1
        seen = set()
        for loop in ast.walk(self.tree):
            if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and loop.target.id == name:
                for body in [loop.target, *loop.body]:
                    for part in ast.walk(body):
                        if isinstance(part, ast.Name) and part.id == name and id(part) not in seen:
                            seen.add(id(part))
                            inside += 1
        return set() if inside == everywhere else {name}

    def counting(self, node, counter: str, over: tuple, begin) -> None:
        """A loop whose counter runs from the first over the second to the third of these texts; `begin` gives its variables values."""
        before = set(self.assigned)
        wanted = self.room_wanted(node, node.target)
        if wanted:
            over = self.kept_range(node, *over)
            self.room_begins(node, wanted)
        self.emit(node, f"for {counter} = {over[0]}..{over[1]}{over[2]}")
        self.loop.append(node)
        outer, self.left = self.left, []
        begin()
        if wanted:
            self.room_test(node, wanted, counter)
        self.block(node.body)
        self.left = outer
        self.loop.pop()
        self.emit(node, "endfor")
        if wanted:
            self.room_ends(node, wanted, over[0])
        self.assigned = before

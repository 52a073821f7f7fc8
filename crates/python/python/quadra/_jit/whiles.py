"""Loops with a condition."""

from __future__ import annotations

import ast

from .arrays import Array
from .types import Refused
from .value import Value

#: The last turn of a loop that stands for one without an end: kernels count no further.
LAST_TURN = 2**30 - 2


class Whiles:
    """Part of the translator."""

    def _do_while(self, node):
        if node.orelse:
            raise Refused(node, "'else' of a loop")
        outer, self.lines = self.lines, []
        condition = self.test(node.test)
        inner, self.lines = self.lines, outer
        before = set(self.assigned)
        wanted = self.room_wanted(node, None)
        counter = self.fresh() if wanted or self._counts_turns(node) else None
        if wanted:
            self.room_begins(node, wanted, False)
        self.loop.append(node)
        endless = bool(condition.constant) and not inner
        outer, self.left = self.left, []
        if counter or inner:
            self.emit(node, "while 1")
            if wanted:
                self.emit(node, f"{wanted.state}[0] = 0")
        else:
            self.emit(node, f"while {condition.text}")
        if counter:
            self.emit(node, f"for {counter} = 0..{LAST_TURN}")
            self._ends_if(node, f"{counter} == {LAST_TURN}")
            if wanted:
                self.room_test(node, wanted, counter)
        self.lines += inner
        if inner or counter and not endless:
            self._ends_if(node, f"!({condition.text})")
        self.block(node.body)
        self.loop.pop()
        if counter:
            # Every turn but the last one, in which nothing is done, may end the loop.
            self.emit(node, "endfor")
            self._ends_if(node, f"{counter} < {LAST_TURN}{f' && {wanted.state}[0] == 0' if wanted else ''}")
            if wanted:
                self.grow_wanted(node, wanted)
        self.emit(node, "endwhile")
        # What only `break` ends has given values to what all of these know.
        self.assigned = set.intersection(*self.left) if endless and self.left else before
        left, self.left = self.left, outer
        return endless and not left

    def _counts_turns(self, node) -> bool:
        """Whether a loop with a condition is translated as one over turns that it ends, which may become a kernel while it runs."""
        inner = any(isinstance(part, ast.Return) for part in ast.walk(node))
        return not self.loop and (not inner or self.leaves_by_break()) and len(self.program.open) == 1

    def _ends_if(self, node, condition: str) -> None:
        for text in (f"if {condition}", "break", "endif"):
            self.emit(node, text)

    def _namedexpr(self, node):
        """`name := value`, where it is evaluated whenever the statement is."""
        if id(node) in self._maybe_evaluated():
            raise Refused(node, "':=' in a part that is not always evaluated", "give the name its value in a statement of its own")
        v = self.expression(node.value)
        if not isinstance(v, (Value, Array)):
            raise Refused(node, "':=' of what is no number and no array", "give the name its value in a statement of its own")
        self.assign(node.target, v)
        return self._name(node.target)

    def _maybe_evaluated(self) -> set[int]:
        """The `:=` of the function that are evaluated in some cases alone, or again and again."""
        found: set[int] = set()
        for node in ast.walk(self.tree):
            parts = []
            if isinstance(node, ast.BoolOp):
                parts = node.values[1:]
            elif isinstance(node, ast.IfExp):
                parts = [node.body, node.orelse]
            elif isinstance(node, ast.Compare):
                parts = node.comparators[1:]
            elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
                parts = [node]
            found |= {id(inner) for part in parts for inner in ast.walk(part) if isinstance(inner, ast.NamedExpr)}
        return found

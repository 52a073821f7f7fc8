"""Lists that loops append to: an iteration begins only if there is room for all that it may append.

If there is none, the loop is left, the lists become longer, and the loop goes on with the same iteration. So nothing within it makes an
array, and it can become a kernel. The property that this needs: what an iteration appends at most is known when it begins.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .fors import assigned_names
from .lists import MOST
from .loops import is_range
from .types import INT
from .value import Value, integer

#: How often an iteration may append at most where that is a constant, and how many elements a list has room for that a loop makes longer.
OFTEN, ROOM = 256, 256


@dataclass
class Bound:
    """What a part of a loop appends at most: so many elements, and so many for each round of these loops."""

    constant: int = 0
    loops: list = field(default_factory=list)

    def __add__(self, other: Bound) -> Bound:
        return Bound(self.constant + other.constant, self.loops + other.loops)

    @property
    def is_nothing(self) -> bool:
        return not self.constant and not self.loops


@dataclass
class Wanted:
    """The lists of a loop with what an iteration appends."""

    bounds: dict
    #: An array that says whether the loop was left to make them longer, at which iteration, and for how many elements of each. Numbers
    #: that only an iteration which leaves the loop assigns would keep it from being a kernel.
    state: str = ""
    outer: set = field(default_factory=set)

    @property
    def sizes(self) -> dict:
        return {name: f"{self.state}[{k + 2}]" for k, name in enumerate(self.bounds)}


class Rooms:
    """Part of the translator."""

    def room_wanted(self, node, target) -> Wanted | None:
        """What a loop wants room for; `None` if it appends nothing, or what cannot be told."""
        parts = list(ast.walk(ast.Module(node.body, [])))
        if any(isinstance(part, ast.Return) for part in parts) and not self.leaves_by_break():
            return None
        self.own_names = set() if target is None else {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
        changed = assigned_names(node.body) | {part.func.value.id for part in parts if isinstance(part, ast.Call) and self._list_called(part)}
        bounds = {}
        for name in self.lists:
            if name not in self.assigned | self.predeclared or name in self.roomy or any(self._made_anew(part, name) for part in parts):
                continue
            bound = self._appended(node.body, name, changed)
            if bound is not None and not bound.is_nothing and bound.constant <= OFTEN:
                bounds[name] = bound
        return Wanted(bounds) if bounds else None

    def _list_called(self, node) -> bool:
        return isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id in self.lists

    @staticmethod
    def _made_anew(node, name: str) -> bool:
        """Whether a part of a loop gives a list other arrays. One that is emptied keeps its own."""
        if not (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)):
            # The names of assignments are looked at with these.
            return isinstance(node, (ast.Assign, ast.AnnAssign)) and _assigns(node, name) and not (isinstance(node.value, ast.List) and not node.value.elts)
        return False

    def _appended(self, body, name: str, changed: set) -> Bound | None:
        """What statements append to a list at most; `None` if that is not known when they begin."""
        total = Bound()
        for node in body:
            found = self._appended_by(node, name, changed)
            if found is None:
                return None
            total = total + found
        return total

    def _appended_by(self, node, name: str, changed: set) -> Bound | None:
        if isinstance(node, ast.If):
            both = [self._appended(part, name, changed) for part in (node.body, node.orelse)]
            if None in both:
                return None
            if not both[0].loops and not both[1].loops:
                return Bound(max(b.constant for b in both))
            return both[0] + both[1]
        if isinstance(node, (ast.For, ast.While)):
            inner = self._appended(node.body, name, changed)
            if inner is None or inner.is_nothing:
                return inner
            return self._repeated(node, inner, changed) if isinstance(node, ast.For) and not node.orelse else None
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and self._list_called(part) and part.func.value.id == name]
        count = sum(call.func.attr == "append" for call in calls)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            if not isinstance(node.value, ast.List):
                return None
            count += len(node.value.elts)
        return Bound(count)

    def _repeated(self, loop, inner: Bound, changed: set) -> Bound | None:
        """What a loop within appends, of whose iterations each appends so much."""
        call = loop.iter
        if inner.loops or not (isinstance(call, ast.Call) and is_range(self.resolve(call.func)) and 1 <= len(call.args) <= 3) or call.keywords:
            return None
        step = _whole(call.args[2]) if len(call.args) == 3 else 1
        if not step:
            return None
        first, last = (ast.Constant(0), call.args[0]) if len(call.args) == 1 else call.args[:2]
        if _whole(first) is not None and _whole(last) is not None:
            return Bound(inner.constant*len(range(_whole(first), _whole(last), step)))
        ends = (first, last) if step > 0 else (last, first)
        if not all(self._stays_the_same(end, changed) for end in ends):
            return None
        return Bound(0, [(*ends, inner.constant)])

    def _stays_the_same(self, node, changed: set) -> bool:
        """Whether an expression has the same value wherever in an iteration it is computed, and costs next to nothing."""
        if isinstance(node, ast.Constant):
            return type(node.value) is int
        if isinstance(node, ast.Name):
            return node.id not in changed and (node.id not in self.locals or node.id in self.assigned or node.id in self.own_names)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)) and all(self._stays_the_same(part, changed) for part in (node.left, node.right))
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub) and self._stays_the_same(node.operand, changed)
        if isinstance(node, ast.Subscript):
            shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and isinstance(node.value.value, ast.Name)
            return shape and _whole(node.slice) is not None and self._stays_the_same(node.value.value, changed)
        if isinstance(node, ast.Call):
            return self.resolve(node.func) in (len, min, max) and not node.keywords and all(self._stays_the_same(a, changed) for a in node.args)
        return False

    def declare_emptied(self) -> None:
        """Lists that an assignment begins without elements have arrays from the beginning of the function, however often it is carried out."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.List) and not node.value.elts:
                for target in node.targets:
                    if isinstance(target, ast.Name) and self.lists.get(target.id) and target.id not in self.predeclared:
                        self._declare(self.tree, target.id, integer(0))
                        self.assigned.discard(target.id)
                        self.predeclared.add(target.id)

    def kept_range(self, node, first: str, by: str, end: str) -> tuple:
        """The bounds of a loop in variables: it may begin again in its middle."""
        names = [self.fresh(), self.fresh()]
        for name, text in zip(names, (first, end)):
            self.emit(node, f"{name} : int = {text}")
        step = by[:-2]
        if step and not step.strip("()-").isdigit():
            step = self.fresh()
            self.emit(node, f"{step} : int = {by[:-2]}")
        return names[0], f"{step}.." if step else "", names[1]

    def room_begins(self, node, wanted: Wanted, repeats: bool = True) -> None:
        """What stands before a loop, which is repeated until it has not been left for the sake of its lists."""
        wanted.state = self.fresh()
        self.first_lines.append((f"{wanted.state} : vec[int] = vec[int]({len(wanted.bounds) + 2})", node.lineno))
        if repeats:
            self.emit(node, "while 1")
            self.emit(node, f"{wanted.state}[0] = 0")

    def room_test(self, node, wanted: Wanted, counter: str) -> None:
        """Leaves a loop at the beginning of an iteration that may have too little room, and notes which one it was."""
        sizes = {name: self._size_with(node, name, bound) for name, bound in wanted.bounds.items()}
        self.emit(node, f"if {' || '.join(f'{v.text} > numel({self.part_name(name, 0)})' for name, v in sizes.items())}")
        self.emit(node, f"{wanted.state}[0] = 1")
        self.emit(node, f"{wanted.state}[1] = {counter}")
        for name, v in sizes.items():
            self.emit(node, f"{wanted.sizes[name]} = {v.text}")
        self.emit(node, "break")
        self.emit(node, "endif")
        wanted.outer, self.roomy = self.roomy, self.roomy | set(wanted.bounds)

    def _size_with(self, node, name: str, bound: Bound) -> Value:
        """The number of elements that a list may have at the end of an iteration."""
        total = self.arithmetic(node, ast.Add(), self.count_of(name), integer(bound.constant))
        for first, last, each in bound.loops:
            first, last = self.as_int(self.number(first)), self.as_int(self.number(last))
            far = self.atom(self.narrow(self.arithmetic(node, ast.Sub(), last, first), node))
            rounds = Value(f"max({far.text}, 0)", INT, 0, max(far.high, 0), wide=far.wide)
            total = self.arithmetic(node, ast.Add(), total, self.arithmetic(node, ast.Mult(), rounds, integer(each)))
        return self.atom(self.narrow(total, node))

    def grow_wanted(self, node, wanted: Wanted) -> None:
        """Makes the lists longer for which a loop was left."""
        self.roomy = wanted.outer
        for name, text in wanted.sizes.items():
            size = self.fresh()
            self.emit(node, f"{size} : int = {text}")
            self.emit(node, f"if {size} > numel({self.part_name(name, 0)})")
            self.check(node, f"{size} < {MOST}", OverflowError, "a list has more than 2**30 elements")
            self.grow(node, name, f"max({size}, max({ROOM}, 4*min({size}, {MOST//4})))")
            self.emit(node, "endif")

    def room_ends(self, node, wanted: Wanted, start: str) -> None:
        """What stands behind a loop over a range, which goes on where it was left."""
        self._ends_if(node, f"{wanted.state}[0] == 0")
        self.emit(node, f"{start} = {wanted.state}[1]")
        self.grow_wanted(node, wanted)
        self.emit(node, "endwhile")


def _assigns(node, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store) for target in targets for part in ast.walk(target))


def _whole(node) -> int | None:
    """An integer of the text."""
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return found if type(found) is int else None

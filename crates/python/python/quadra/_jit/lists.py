"""Lists of numbers or of tuples of numbers that only their function knows: for each part an array with room for more, and a count."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from .arrays import Array
from .types import BOOL, INT, STRONG, Refused, Type, array_of, promote
from .value import Value, integer

#: The array that holds numbers of Python.
#: How many elements a list may have.
MOST = 2**30
ROOM = 8


@dataclass
class Made:
    """A list as an expression makes it: items, each a number or the numbers of a tuple; repeated if `times` is given. Or of an array."""

    items: list
    times: Value | None = None
    array: Array | None = None
    weak: str = ""


def list_names(tree) -> set[str]:
    """The variables that lists are assigned to."""
    found: set[str] = set()
    while True:
        more = found | _list_names(tree, found)
        if more == found:
            return found
        found = more


def _list_names(tree, known: set[str]) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts))
            found |= {t.id for t, v in pairs if isinstance(t, ast.Name) and (is_list(v) or is_part(v, known))}
    return found


def is_list(node) -> bool:
    repeated = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List)
    joined = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and is_list(node.left) and is_list(node.right)
    return isinstance(node, (ast.List, ast.ListComp)) or repeated or joined


def is_part(node, lists) -> bool:
    """Whether an expression is a slice of one of these lists, which is a list."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and isinstance(node.value, ast.Name) and node.value.id in lists


def list_parts(tree) -> dict:
    """How many parts the elements of lists have, where the text says so."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append" and isinstance(node.func.value, ast.Name):
            if len(node.args) == 1 and isinstance(node.args[0], ast.Tuple):
                found[node.func.value.id] = len(node.args[0].elts)
    return found


class Lists:
    """Part of the translator."""

    def named_list(self, node) -> str | None:
        """The list that an expression names."""
        return node.id if isinstance(node, ast.Name) and node.id in self.lists else None

    def list_count(self, node, name: str) -> Value:
        if name not in self.assigned:
            raise Refused(node, f"'{name}' may have no value here", "give it a value before the loop or the branch")
        return self.count_of(name)

    def count_of(self, name: str) -> Value:
        return Value(f"{self.spelled(name)}_n_", INT, 0, MOST, atom=True)

    def part_name(self, name: str, k: int) -> str:
        return f"{self.spelled(name)}_l{k}_"

    def list_types(self, name: str) -> list[Type]:
        """The types of an element's parts; those of a list to which nothing is ever appended do not matter."""
        return self.lists[name] or [INT]*self.list_parts.get(name, 1)

    def _list(self, node):
        return Made([self.expression(item) for item in node.elts])

    def items_array(self, node, made) -> Array:
        """A list or a tuple as the array that NumPy makes of it: of numbers, of lists of numbers with one length, or of arrays."""
        if isinstance(made, Made) and made.array is not None:
            return made.array
        if isinstance(made, Made) and made.times is not None:
            v = made.items[0] if len(made.items) == 1 else None
            if not isinstance(v, Value):
                raise Refused(node, "a list of one number that is repeated is an array")
            v = self.atom(v)
            n = self.atom(Value(f"max({made.times.text}, 0)", INT, 0, max(made.times.high, 0)))
            return Array(Type(STRONG.get(v.type.name, v.type.name), 1), None, None, [n], lambda i: v)
        items = made.items if isinstance(made, Made) else made
        if items and all(isinstance(v, Value) for v in items):
            return self.array_of_rows(node, [items], False)
        rows = [v.items if isinstance(v, Made) and v.times is None and v.array is None else v for v in items]
        if rows and all(isinstance(r, list) and r and len(r) == len(rows[0]) and all(isinstance(v, Value) for v in r) for r in rows):
            return self.array_of_rows(node, rows, True)
        if rows and all(isinstance(r, Array) and r.type.ndim == 1 for r in rows):
            return self._together(node, [self._row(node, r) for r in rows])
        raise Refused(node, "an array of numbers, of lists of numbers with the same length, or of arrays with one dimension, is in the subset", "take numpy.zeros, and store what it holds")

    def repeated_list(self, node) -> Made:
        """`[x]*n`, or two lists without names behind each other."""
        if isinstance(node.op, ast.Add):
            return self._joined_lists(node)
        times = self.atom(self.narrow(self.as_int(self.number(node.right)), node))
        return Made(self._list(node.left).items, times)

    def _joined_lists(self, node) -> Made:
        a, b = (self.repeated_list(part) if isinstance(part, ast.BinOp) else self.expression(part) for part in (node.left, node.right))
        if all(v.times is None and v.array is None for v in (a, b)):
            return Made([*a.items, *b.items])
        arrays = [self.items_array(node, v) for v in (a, b) if v.items or v.array is not None]
        kinds = {v.weak or (v.items[0].type.name if v.items else "") for v in (a, b)} - {""}
        if len(kinds) != 1 or any(v.type.ndim != 1 for v in arrays):
            raise Refused(node, "lists of numbers of one type are put together", "append in a loop")
        return Made([], None, self._together(node, arrays), kinds.pop())

    def _listcomp(self, node):
        array = self.comprehension(node)
        return Made([], None, array, self.comprehended)

    def _parts(self, node, item) -> list[Value]:
        parts = item if isinstance(item, list) else [item]
        if not parts or any(not isinstance(v, Value) for v in parts):
            raise Refused(node, "lists hold numbers, or tuples of numbers", "take an array with one more dimension")
        return parts

    def note(self, node, name: str, parts: list[Value]) -> list[Value]:
        """The parts of a new element, and that the list has such elements."""
        types, known = [v.type for v in parts], self.lists[name]
        if known is not None:
            if len(known) != len(types):
                raise Refused(node, f"elements of '{name}' have {len(types)} parts here and {len(known)} elsewhere")
            types = [a if a == b else self._wider(node, a, b) for a, b in zip(known, types)]
        self.lists[name] = types
        return [self.coerce(node, self.as_int(v) if v.type.is_bool and not t.is_bool else v, t) for v, t in zip(parts, types)]

    @staticmethod
    def _wider(node, a: Type, b: Type) -> Type:
        if a.is_bool and b.is_bool:
            return Type("b1")
        return promote(node, a, b)

    def give_list(self, node, name: str, made: Made) -> None:
        """`name = [...]`."""
        if name in self.table or name in self.parameters or name in self.tuples:
            raise Refused(node, f"'{name}' is something else elsewhere", "use another name")
        items = [self.note(node, name, [self.atom(v) for v in self._parts(node, item)]) for item in made.items]
        if made.array is not None:
            self.note(node, name, [Value("0", Type(made.weak or made.array.type.name), 0, 0, atom=True)])
            self._give_elements(node, name, made.array)
            return
        if not made.items and made.times is None and name in (self.predeclared | self.assigned & self.declared_names):
            # It keeps its room.
            self.emit(node, f"{self.count_of(name).text} = 0")
            self.assigned.add(name)
            return
        n = integer(len(items))
        if made.times is not None:
            if len(items) != 1:
                raise Refused(node, "a list of several elements that is repeated", "append them in a loop")
            n = Value(f"max({made.times.text}, 0)", INT, 0, max(made.times.high, 0))
        n = self.atom(n)
        self._declare(node, name, n)
        for at, parts in enumerate(items):
            place = str(at)
            if made.times is not None:
                place = self.fresh()
                self.emit(node, f"for {place} = 0..{n.text}-1")
            self._put(node, name, place, parts)
            if made.times is not None:
                self.emit(node, "endfor")

    def _declare(self, node, name: str, n: Value) -> None:
        kinds = [array_of(STRONG.get(t.name, t.name), 1) for t in self.list_types(name)]
        first = name not in self.declared_names
        self.declared_names.add(name)
        for k, kind in enumerate(kinds):
            self.emit(node, f"{self.part_name(name, k)}{f' : {kind}' if first else ''} = {kind}(max({n.text}, {ROOM}))")
        self.emit(node, f"{self.spelled(name)}_n_{' : int' if first else ''} = {n.text}")
        self.assigned.add(name)

    def _give_elements(self, node, name: str, array: Array) -> None:
        array = self.materialised(node, array)
        n = self.length(array, 0)
        self._declare(node, name, n)
        at = self.fresh()
        self.emit(node, f"for {at} = 0..{n.text}-1")
        self.emit(node, f"{self.part_name(name, 0)}[{at}] = {array.name}[{at}]")
        self.emit(node, "endfor")

    def _put(self, node, name: str, place: str, parts: list[Value]) -> None:
        for k, v in enumerate(parts):
            to = Type(STRONG.get(v.type.name, v.type.name), 1)
            self.emit(node, f"{self.part_name(name, k)}[{place}] = {self.stored(v, to, node)}")

    def own_list(self, node, name: str) -> None:
        """Refuses to change a list that is an argument: it is the caller's."""
        if name in self.parameters:
            raise Refused(node, f"the list '{name}', an argument, is changed", "pass an array, or make a list of its elements: [v for v in x]")

    def append(self, node, name: str, item) -> None:
        self.own_list(node, name)
        parts = self.note(node, name, [self.atom(v) for v in self._parts(node, item)])
        n = self.list_count(node, name).text
        if name not in self.roomy:
            self.emit(node, f"if {n} >= numel({self.part_name(name, 0)})")
            self.check(node, f"{n} < {MOST}", OverflowError, "a list has more than 2**30 elements")
            self.grow(node, name, f"2*{n}")
            self.emit(node, "endif")
        self._put(node, name, n, parts)
        self.emit(node, f"{n} = {n} + 1")

    def grow(self, node, name: str, room: str) -> None:
        """Gives a list room for so many elements."""
        n = self.count_of(name).text
        for k, t in enumerate(self.list_types(name)):
            kind = array_of(STRONG.get(t.name, t.name), 1)
            more, at = self.fresh(), self.fresh()
            self.emit(node, f"{more} : {kind} = {kind}({room})")
            self.emit(node, f"for {at} = 0..{n}-1")
            self.emit(node, f"{more}[{at}] = {self.part_name(name, k)}[{at}]")
            self.emit(node, "endfor")
            self.emit(node, f"{self.part_name(name, k)} = {more}")

    def list_element(self, node, name: str, place: str):
        """The element at a place that is known to be one."""
        found = []
        for k, t in enumerate(self.list_types(name)):
            v = self._element(f"{self.part_name(name, k)}[{place}]", Type(STRONG.get(t.name, t.name), 1))
            found.append(self.atom(v.with_type(t) if t.is_weak else v))
        return found if len(found) > 1 else found[0]

    def list_place(self, node, name: str, index) -> str:
        """An index, which counts from the end if it is negative and ends the function if there is no such element."""
        n = self.list_count(node, name)
        place = self.atom(Value(self.position(node, self.number(index), n), INT, -MOST, MOST))
        self.check(node, f"{place.text} >= 0 && {place.text} < {n.text}", IndexError, "list index out of range")
        return place.text

    def list_method(self, node, name: str):
        """`name.append(v)` and its like."""
        method = node.func.attr
        if node.keywords:
            raise Refused(node, f"named arguments of '.{method}'")
        if method == "append" and len(node.args) == 1:
            self.append(node, name, self.expression(node.args[0]))
            return None
        self.own_list(node, name)
        n = self.list_count(node, name).text
        if method == "pop" and not node.args:
            self.check(node, f"{n} > 0", IndexError, "pop from empty list")
            found = self.list_element(node, name, f"{n}-1")
            self.emit(node, f"{n} = {n} - 1")
            return found
        if method in ("reverse", "sort") and not node.args:
            self._in_order_of(node, name, method)
            return None
        if method == "clear" and not node.args:
            self.emit(node, f"{n} = 0")
            return None
        raise Refused(node, f"'.{method}' of lists is not in the subset", "append, pop without an index, clear, reverse, sort, indices, len and loops are")

    def _in_order_of(self, node, name: str, method: str) -> None:
        """`name.reverse()` and `name.sort()`."""
        if method == "sort":
            array = self.list_array(node, name)
            parts = [self.sorted(node, array)]
        else:
            at, n = self.fresh(), self.list_count(node, name).text
            parts = []
            for k, t in enumerate(self.list_types(name)):
                made = self.allocated(node, Type(STRONG.get(t.name, t.name), 1), [self.list_count(node, name)])
                self.emit(node, f"for {at} = 0..{n}-1")
                self.emit(node, f"{made.name}[{at}] = {self.part_name(name, k)}[{n}-1-{at}]")
                self.emit(node, "endfor")
                parts.append(made)
        for k, made in enumerate(parts):
            at = self.fresh()
            self.emit(node, f"for {at} = 0..{self.list_count(node, name).text}-1")
            self.emit(node, f"{self.part_name(name, k)}[{at}] = {made.name}[{at}]")
            self.emit(node, "endfor")

    def list_store(self, node, name: str, v, op=None) -> None:
        """`name[i] = v`, or `name[i] op= v`."""
        if isinstance(node.slice, ast.Slice):
            raise Refused(node, "parts of lists are not assigned")
        self.own_list(node, name)
        place = self.list_place(node, name, node.slice)
        if op is not None:
            old = self.list_element(node, name, place)
            if not isinstance(old, Value) or not isinstance(v, Value):
                raise Refused(node, "a tuple is changed in place")
            v = self.arithmetic(node, op, old, v)
        self._put(node, name, place, self.note(node, name, [self.atom(x) for x in self._parts(node, v)]))

    def list_array(self, node, name: str, tuples: bool = False) -> Array:
        """The numbers of a list as an array of its own; where that is wanted, those of a list of tuples as a matrix with a row for each."""
        types = self.list_types(name)
        if len(types) > 1 and not tuples:
            raise Refused(node, "a list of tuples as a whole", "loop over it, or take numpy.array(…) of it")
        n = self.list_count(node, name)
        if len(types) > 1:
            return self._tuples_array(node, name, types, n)
        type = Type(STRONG.get(types[0].name, types[0].name), 1)
        made = self.allocated(node, type, [n])
        at = self.fresh()
        self.emit(node, f"for {at} = 0..{n.text}-1")
        self.emit(node, f"{made.name}[{at}] = {self.part_name(name, 0)}[{at}]")
        self.emit(node, "endfor")
        return made

    def _tuples_array(self, node, name: str, types: list, n: Value) -> Array:
        kind = types[0]
        for t in types[1:]:
            kind = kind if t == kind else promote(node, kind, t)
        made = self.allocated(node, Type(STRONG.get(kind.name, kind.name), 2), [n, integer(len(types))])
        at = self.fresh()
        self.emit(node, f"for {at} = 0..{n.text}-1")
        for k, t in enumerate(types):
            v = self.coerce(node, self._element(f"{self.part_name(name, k)}[{at}]", Type(STRONG.get(t.name, t.name))), Type(made.type.name))
            self.emit(node, f"{made.name}[{at},{k}] = {self.stored(v, made.type, node)}")
        self.emit(node, "endfor")
        return made

    def list_loop(self, node, name: str) -> None:
        """`for v in name`, for a list that the loop leaves alone."""
        for part in ast.walk(ast.Module(node.body, [])):
            changes = isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and self.named_list(part.func.value) == name
            if changes or isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store):
                raise Refused(part, f"a loop over '{name}' changes it", "loop with while and an index")
        hidden = self.fresh()
        count = self.list_count(node, name).text
        self.counting(node, hidden, ("0", "", f"{count}-1"), lambda: self.assign(node.target, self.list_element(node, name, hidden)))

    def list_test(self, node):
        """Whether a list has elements; `None` for what is no list."""
        name = self.named_list(node)
        return None if name is None else Value(f"({self.list_count(node, name).text} > 0)", BOOL, 0, 1)

    def result_list(self, node):
        """A list that is a result, as an array that becomes one; `None` for others."""
        name = self.named_list(node)
        if name is not None:
            array, weak = self.list_array(node, name, True), self.list_types(name)[0]
            if any(t != weak or t.name not in ("int", "float") for t in self.list_types(name)[1:]):
                raise Refused(node, "a list of tuples of different types as a result", "return numpy.array(…) of it, or a list for each part")
        elif is_part(node, self.lists):
            array, weak = self.materialised(node, self.expression(node)), self.list_types(node.value.id)[0]
        elif is_list(node):
            # A list without a name gets one.
            name = f"list_{node.lineno}_{node.col_offset}"
            self.locals.add(name)
            self.lists.setdefault(name, None)
            self.give_list(node, name, self.expression(node))
            array, weak = self.list_array(node, name), self.list_types(name)[0]
        else:
            return None
        return Array(replace(array.type, listed=weak.name), array.name)

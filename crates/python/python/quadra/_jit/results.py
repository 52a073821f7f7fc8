"""What jitted functions return, and the types that these results settle on."""

from __future__ import annotations

import ast

from .arrays import Array
from .lists import is_list, is_part
from .types import Refused, Tuple
from .value import Value


class Results:
    """Part of the translator."""

    def _do_return(self, node):
        nothing = node.value is None or isinstance(node.value, ast.Constant) and node.value.value is None
        v = None if nothing else self._returned(node.value)
        values = [] if nothing else v if isinstance(v, list) else [v]
        values = [self.materialised(node, x) if isinstance(x, Array) else x for x in values]
        if any(not isinstance(x, (Value, Array)) for x in values):
            raise Refused(node, "a result that is no number and no array")
        types = tuple(x.type for x in values)
        self.was_tuple = isinstance(v, list)
        if self.result is None:
            self.result = Tuple(types)
        elif self.result.items != types:
            self.result = self._joined_results(node, types)
        if self.loop and self.leaves_by_break():
            return self._leave(node, values)
        for k, (x, to) in enumerate(zip(values, self.result.items)):
            if isinstance(x, Value):
                x = self.coerce(node, x, to)
                x = self.wide(x) if to.is_int else x
                kind = self.quasar(x)
                seen = f"result_{k}_" in self.declared_names
                self.declared_names.add(f"result_{k}_")
                self.emit(node, f"result_{k}_ = {x.text}" if seen else f"result_{k}_ : {kind} = {x.text}")
            else:
                self.emit(node, f"result_{k}_ = {x.name}")
        self.kept_state(node)
        if self.loop or not self.tail:
            self.emit(node, "return")
        return True

    # Returns within loops

    def leaves_by_break(self) -> bool:
        """Whether a `return` within a loop keeps its numbers, and breaks out of the loops: a jump out of the middle keeps loops from being kernels."""
        return self.result is not None and not any(t.is_array for t in self.result.items)

    def kept(self, k: int | None = None) -> str:
        """Where a result is kept, or whether there is one. In the function that the call names in arrays, since numbers that only an
        iteration which leaves a loop assigns keep that from being a kernel; in others, which run on devices, in variables."""
        name = "left_" if k is None else f"left_{k}_"
        return f"{name}[0]" if len(self.program.open) == 1 else name

    def declare_kept(self) -> None:
        """The variables, or arrays, for results that loops leave, at the beginning of the function."""
        kinds = ["int", *(self.quasar(Value("", t, wide=t.is_int)) for t in self.result.items)]
        for kind, k in zip(kinds, [None, *range(len(kinds) - 1)]):
            text = self.kept(k)
            first = f"{text[:-3]} : vec[{kind}] = vec[{kind}](1)" if text.endswith("]") else f"{text} : {kind} = 0"
            self.first_lines.append((first, self.tree.lineno))

    def _leave(self, node, values: list) -> bool:
        self.flagged = True
        for k, (x, to) in enumerate(zip(values, self.result.items)):
            x = self.coerce(node, x, to)
            self.emit(node, f"{self.kept(k)} = {(self.wide(x) if to.is_int else x).text}")
        self.emit(node, f"{self.kept()} = 1")
        self.emit(node, "break")
        return True

    def give_kept(self, node) -> None:
        """The results that a loop left."""
        for k, to in enumerate(self.result.items):
            kind = self.quasar(Value("", to, wide=to.is_int))
            seen = f"result_{k}_" in self.declared_names
            self.declared_names.add(f"result_{k}_")
            self.emit(node, f"result_{k}_{'' if seen else f' : {kind}'} = {self.kept(k)}")
        self.kept_state(node)

    def behind_loop(self, node, ended: bool, rest: list, tail: bool) -> bool | None:
        """What stands behind a loop that a `return` may have left, with the statements behind it if they are only reached otherwise;
        `None` if these follow as always."""
        if self.loop:
            self._ends_if(node, f"{self.kept()} == 1")
            return None
        if ended and tail:
            self.give_kept(node)
            return True
        self.emit(node, f"if {self.kept()} == 1")
        self.give_kept(node)
        if not tail:
            self.emit(node, "return")
            self.emit(node, "endif")
            return None
        if not rest and self.result.items:
            raise Refused(self.tree, "one way through the function returns a value, another one none", "return a value at the end")
        self.emit(node, "else")
        self.tail = True
        if not self.block(rest):
            if self.result.items:
                raise Refused(self.tree, "one way through the function returns a value, another one none", "return a value at the end")
            self.kept_state(node)
        self.emit(node, "endif")
        return True

    def _returned(self, node):
        """The value of a `return`: lists as such."""
        if isinstance(node, ast.Tuple) and any(self.named_list(part) or is_list(part) or is_part(part, self.lists) for part in node.elts):
            return [self._returned(part) for part in node.elts]
        found = self.result_list(node)
        return self.expression(node) if found is None else found

    def _joined_results(self, node, types) -> Tuple:
        old = self.result.items
        joined = []
        for a, b in zip(old, types):
            # The same number as one of Python and one of NumPy.
            names = {a.name, b.name}
            wider = next((t for t in (a, b) if not t.is_weak), a)
            joined.append(a if a == b else wider if names in ({"float", "f8"}, {"int", "i8"}, {"bool", "b1"}, {"complex", "c16"}) and a.ndim == b.ndim else None)
        if len(old) == len(types) and None not in joined:
            return Tuple(tuple(joined))
        if len(old) == len(types) and all(not a.is_array and not b.is_array for a, b in zip(old, types)):
            if all(a == b or (a.is_weak and b.is_weak) for a, b in zip(old, types)):
                raise Refused(node, f"the result is {types[0]} here and {old[0]} elsewhere", "convert it: float(x)")
        raise Refused(node, "the results of this function have different types", "return the same types everywhere")

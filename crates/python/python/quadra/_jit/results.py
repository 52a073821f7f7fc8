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

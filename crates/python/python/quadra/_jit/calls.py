"""Calls of jitted functions from others."""

from __future__ import annotations

import ast

from .arrays import Array
from .types import Refused, bounds
from .value import Value
from .writes import written


class Calls:
    """Part of the translator."""

    def not_outer(self, node, array: Array) -> None:
        if any(array.name == made.name for made, _ in self.outer_arrays.values()):
            raise Refused(node, "an array from outside of the function is written to", "pass it as an argument")

    def call_jitted(self, node, jitted) -> list:
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise Refused(node, "named arguments of jitted functions are not in the subset")
        values = [self.expression(a) for a in node.args]
        if any(not isinstance(v, (Value, Array)) for v in values):
            raise Refused(node, "a tuple as an argument of a jitted function")
        writes = written(jitted)
        for a, parameter in zip(node.args, jitted.tree.args.args):
            if self.named_list(a) and parameter.arg in writes:
                raise Refused(a, f"'{jitted.__name__}' writes to the list '{a.id}'", "give it an array")
        for v, a, parameter in zip(values, node.args, jitted.tree.args.args):
            if isinstance(v, Array) and v.view is not None and parameter.arg in writes:
                raise Refused(a, f"'{jitted.__name__}' writes to a part of an array", "give it the array and the index")
            if isinstance(v, Array) and parameter.arg in writes:
                self.not_outer(a, v)
        values = [self.materialised(node, v) if isinstance(v, Array) else v for v in values]
        return self.call_jitted_with(node, jitted, values)

    def call_jitted_with(self, node, jitted, values: list) -> list:
        """The results of a call with these values, of a jitted function or one of the subset's own."""
        from . import as_jitted

        jitted = as_jitted(jitted)
        name, result = self.program.specialised(node, jitted, values)
        texts = [v.name if isinstance(v, Array) else self._passed(v).text for v in values]
        call = f"{name}({', '.join(texts)})"
        if len(result.items) == 0:
            self.emit(node, call)
            return []
        names = [self.fresh() for _ in result.items]
        self.emit(node, f"{names[0]} = {call}" if len(names) == 1 else f"[{', '.join(names)}] = {call}")
        found = []
        for name, type in zip(names, result.items):
            if type.is_array:
                found.append(Array(type, name))
            else:
                low, high = bounds(type.name) if type.is_int or type.is_bool else (0, 0)
                found.append(Value(name, type, low, high, None, True, type.is_int))
        return found

    def _passed(self, v: Value) -> Value:
        return self.wide(v) if v.type.is_int else v

"""Calls of jitted functions from others."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .arrays import Array
from .randoms import OWN, STATE
from .types import Refused, bounds, checked_array
from .value import Known, Value, constant
from .writes import written


@dataclass
class Usual:
    """What a parameter is when a call leaves it out."""

    value: object


class Calls:
    """Part of the translator."""

    def not_outer(self, node, array: Array) -> None:
        name = array.view.name if array.view is not None else array.name
        if any(name == made.name for made, _ in self.outer_arrays.values()):
            raise Refused(node, "an array from outside of the function is written to", "pass it as an argument")

    def call_jitted(self, node, jitted) -> list:
        args = self._in_order(node, jitted)
        values = [self._usual(a.value) if isinstance(a, Usual) else self.expression(a) for a in args]
        if any(not isinstance(v, (Value, Array, Known)) for v in self._flat(values)):
            raise Refused(node, "an argument of a jitted function that is no number, no array and no tuple of these")
        writes = written(jitted)
        for a, parameter in zip(args, jitted.tree.args.args):
            if self.named_list(a) and parameter.arg in writes:
                raise Refused(a, f"'{jitted.__name__}' writes to the list '{a.id}'", "give it an array")
        for v, a, parameter in zip(values, args, jitted.tree.args.args):
            if isinstance(v, Array) and v.view is not None and parameter.arg in writes:
                raise Refused(a, f"'{jitted.__name__}' writes to a part of an array", "give it the array and the index")
            if isinstance(v, Array) and parameter.arg in writes:
                self.not_outer(a, v)
        made = lambda v: self.materialised(node, v) if isinstance(v, Array) else v
        values = [[made(x) for x in v] if isinstance(v, list) else made(v) for v in values]
        return self.call_jitted_with(node, jitted, values)

    @staticmethod
    def _flat(values: list) -> list:
        """The values with the parts of tuples."""
        return [x for v in values for x in (v if isinstance(v, list) else [v])]

    @staticmethod
    def _usual(value):
        return Known(value) if value is None or isinstance(value, str) else constant(value)

    @staticmethod
    def _in_order(node, jitted) -> list:
        """The arguments of a call as the parameters stand."""
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise Refused(node, "arguments with a star")
        names = [a.arg for a in jitted.tree.args.args]
        # Functions within the function have been given what their calls leave out.
        usual = getattr(getattr(jitted, "function", None), "__defaults__", None) or ()
        given = {n: Usual(v) for n, v in zip(names[len(names) - len(usual):], usual)}
        if len(node.args) > len(names):
            raise Refused(node, f"'{jitted.__name__}' takes {len(names)} arguments, {len(node.args)} are given")
        named = dict(zip(names, node.args))
        for k in node.keywords:
            if k.arg not in names or k.arg in named:
                raise Refused(node, f"'{jitted.__name__}' takes no argument '{k.arg}' here")
            named[k.arg] = k.value
        given |= named
        for name in names:
            if name not in given:
                raise Refused(node, f"'{jitted.__name__}' misses the argument '{name}'")
            usual = given[name].value if isinstance(given[name], Usual) else None
            if usual is not None and not isinstance(usual, str) and constant(usual) is None:
                raise Refused(node, f"what '{jitted.__name__}' takes for '{name}' if it is left out is no number", "pass it")
        return [given[n] for n in names]

    def call_jitted_with(self, node, jitted, values: list) -> list:
        """The results of a call with these values, of a jitted function or one of the subset's own."""
        from . import as_jitted

        jitted = as_jitted(jitted)
        name, result = self.program.specialised(node, jitted, values)
        texts = [v.name if isinstance(v, Array) else self._passed(v).text for v in self._flat(values) if not isinstance(v, Known)]
        if name in self.program.drawing:
            self.draws = True
            self.kept_state(node)
            texts.insert(0, STATE)
        call = f"{name}({', '.join(texts)})"
        found = self._called(node, call, result)
        if name in self.program.drawing:
            self.emit(node, f"{OWN} = {STATE}[0]")
        return found

    def _called(self, node, call: str, result) -> list:
        if len(result.items) == 0:
            self.emit(node, call)
            return []
        names = [self.fresh() for _ in result.items]
        self.emit(node, f"{names[0]} = {call}" if len(names) == 1 else f"[{', '.join(names)}] = {call}")
        found = []
        for name, type in zip(names, result.items):
            if type.is_array:
                held = self.fresh()
                self.emit(node, f"{held} : {checked_array(type.name, type.ndim)} = {name}")
                found.append(Array(type, held))
            else:
                low, high = bounds(type.name) if type.is_int or type.is_bool else (0, 0)
                found.append(Value(name, type, low, high, None, True, type.is_int))
        return found

    def _passed(self, v: Value) -> Value:
        return self.wide(v) if v.type.is_int else v

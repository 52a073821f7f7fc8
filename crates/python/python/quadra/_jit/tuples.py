"""Parts of tuples."""

from __future__ import annotations

import ast

from .types import FLOAT, INT, Refused, Type
from .value import Value


class Tuples:
    """Part of the translator."""

    def tuple_subscript(self, node, base: list):
        """`t[i]` or `t[i:j]` of a tuple."""
        if isinstance(node.slice, ast.Slice):
            s = node.slice
            bounds = [None if b is None else self.number(b).constant for b in (s.lower, s.upper, s.step)]
            if any(b is not None and v is None for b, v in zip((s.lower, s.upper, s.step), bounds)):
                raise Refused(node, "a part of a tuple is named by constants")
            return base[slice(*bounds)]
        index = self.number(node.slice)
        if index.constant is None:
            if not index.type.is_int:
                raise Refused(node, f"an index is a {index.type}", "convert it: int(x)")
            return self.tuple_part(node, base, self.atom(self.narrow(index, node)))
        if type(index.constant) is not int or not -len(base) <= index.constant < len(base):
            raise Refused(node, f"a tuple of {len(base)} values has no part {index.constant}")
        return base[index.constant]

    def tuple_part(self, node, base: list, index: Value):
        """The part of a tuple whose number is computed: all parts are of one type, or are tuples of such parts."""
        if base and all(isinstance(v, list) and len(v) == len(base[0]) for v in base):
            return [self.tuple_part(node, list(column), index) for column in zip(*base)]
        if not base or not all(isinstance(v, Value) for v in base):
            raise Refused(node, "a part of a tuple that is no number is named by a constant", "take an array with one more dimension")
        kinds = {v.type for v in base}
        if all(type(v.constant) in (int, float) for v in base) and kinds <= {INT, FLOAT}:
            # From an array that is made once.
            kind = float if FLOAT in kinds else int
            return self.at(node, self.outer_array(node, tuple(v.constant for v in base), kind), [index]).with_type(FLOAT if FLOAT in kinds else INT)
        if len(kinds) > 1:
            raise Refused(node, "a part of a tuple of several types is named by a constant", "convert the parts: float(x)")
        place = self.atom(Value(self.position(node, index, Value(str(len(base)), INT, len(base), len(base))), INT))
        self.check(node, f"{place.text} >= 0 && {place.text} < {len(base)}", IndexError, "tuple index out of range")
        wide = any(v.wide for v in base)
        values = [self.atom(self.wide(v) if wide else v) for v in base]
        text = values[-1].text
        for k in range(len(values) - 2, -1, -1):
            text = f"({place.text} == {k} ? {values[k].text} : {text})"
        return self.atom(Value(text, Type(base[0].type.name), min(v.low for v in base), max(v.high for v in base), wide=wide))

"""Methods of arrays, most of which are functions of NumPy by another spelling."""

from __future__ import annotations

import ast

import numpy

from . import functions
from .arrays import Array
from .reductions import METHODS
from .types import Refused, Type
from .value import Evaluated, Value

#: By method: the function that takes the array first, and the method's arguments behind it.
FUNCTIONS = {
    name: getattr(numpy, name)
    for name in ("argsort", "clip", "cumprod", "cumsum", "diagonal", "nonzero", "ptp", "repeat", "round", "searchsorted", "take", "trace")
}


class Methods:
    """Part of the translator."""

    def method(self, node, base, name: str):
        """`array.name(…)`, `z.conjugate()`."""
        if name in ("conjugate", "conj") and not node.args and isinstance(base, (Array, Value)):
            part = lambda v: self.complex_part(node, v, name)
            return self.each(node, [base], part) if isinstance(base, Array) else part(base)
        if isinstance(base, Value) and name in ("item", "round", "is_integer", "bit_length"):
            return self._number_method(node, base, name)
        if not isinstance(base, Array):
            raise Refused(node, f"a method of what is no array: '.{name}'")
        if name == "copy" and not node.args:
            return self.materialised(node, base, fresh=True)
        if name == "astype" and len(node.args) == 1:
            to = Type(self.dtype(node.args[0]))
            return self.materialised(node, self.each(node, [base], lambda v: functions.convert(self, node, v, to)), fresh=True)
        if name == "sort" and not node.args and not node.keywords and base.compute is None and not base.type.is_complex:
            self.store_all(node, base, self.sorted_along(node, base, base.type.ndim - 1, True))
            return None
        if name == "fill" and len(node.args) == 1:
            self.store_all(node, base, self.number(node.args[0]))
            return None
        if name == "item":
            return self._item_of(node, base)
        shaped = self.shaped(node, name, base, node.args)
        if shaped is not None:
            return shaped
        found = self.reduction_of(node, METHODS.get(name), [base], node.args)
        if found is None and name in FUNCTIONS:
            call = ast.Call(node.func, [ast.copy_location(Evaluated(base), node), *node.args], node.keywords)
            return self.function_called(ast.copy_location(call, node), FUNCTIONS[name])
        if found is None:
            raise Refused(node, f"the method '.{name}' with these arguments is not in the subset")
        return found

    def _item_of(self, node, base: Array) -> Value:
        """`array.item(…)`: an element as a number of Python."""
        if node.keywords or len(node.args) not in (0, base.type.ndim):
            raise Refused(node, "'.item' names an element by an index for each dimension")
        if not node.args:
            self.check(node, f"{self.atom(self.size(node, base)).text} == 1", ValueError, "can only convert an array of size 1 to a Python scalar")
        indices = [self.number(a) for a in node.args] or [self.number(ast.Constant(0))]*base.type.ndim
        indices = [Value(self.position(node, i, self.length(base, k)), i.type, 0, self.longest) for k, i in enumerate(indices)]
        v = self.at(node, base, indices)
        return self.coerce(node, v, self._of_python(v))

    @staticmethod
    def _of_python(v: Value) -> Type:
        """The type of Python for such numbers."""
        return Type("bool" if v.type.is_bool else "float" if v.type.is_float else "complex" if v.type.is_complex else "int")

    def _number_method(self, node, v: Value, name: str) -> Value:
        """A method of a number."""
        if name == "item" and not node.args:
            return self.coerce(node, v, self._of_python(v))
        if name == "round" and not v.type.is_weak:
            return self.known(node, numpy.round, [v, *(self.number(a) for a in node.args)])
        if name == "is_integer" and v.type.is_float and not node.args:
            v = self.atom(v)
            return Value(f"(floor({v.text}) == {v.text} && abs({v.text}) < inf)", Type("bool"), 0, 1)
        raise Refused(node, f"the method '.{name}' of a number with these arguments is not in the subset")

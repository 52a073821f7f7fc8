"""`numpy.array([… for … in …])`, and reductions of such generators."""

from __future__ import annotations

import ast
import copy

from .arrays import Array
from .loops import is_range
from .types import INT, STRONG, Refused, Type
from .value import Value, integer


class Comprehensions:
    """Part of the translator."""

    def comprehension(self, node) -> Array:
        """The numbers of a comprehension over a range or an array of one dimension."""
        over = node.generators[0]
        if len(node.generators) != 1 or over.ifs or over.is_async or not isinstance(over.target, ast.Name):
            raise Refused(node, "a comprehension with conditions or several variables is in the subset where a statement evaluates it once, beside nothing that may write", "write the loop")
        # The variable is none of the function's.
        name = f"{over.target.id}_{node.lineno}_{node.col_offset}"

        class Renamed(ast.NodeTransformer):
            def visit_Name(self, part):
                return ast.copy_location(ast.Name(name, part.ctx), part) if part.id == over.target.id else part

        element = Renamed().visit(copy.deepcopy(node.elt))
        self.locals.add(name)
        length, item = self._items(over.iter)

        def at(indices):
            found = item(indices[0])
            self.give_tuple(node, name, found) if isinstance(found, list) else self.give(node, name, found)
            return self.number(element)

        # What type the numbers have: found out without keeping what that emits.
        outer, self.lines = self.lines, []
        names, assigned = set(self.declared_names), set(self.assigned)
        type = self.comprehended = at([Value("0", INT, 0, self.longest, atom=True)]).type.name
        self.lines, self.declared_names, self.assigned = outer, names, assigned
        return Array(Type(STRONG.get(type, type), 1), None, None, [length], at)

    def _items(self, iterated):
        """The number of items of a range or an array, and what gives one."""
        if isinstance(iterated, ast.Call) and is_range(self.resolve(iterated.func)):
            first, step, last = self._range(iterated)
            if not isinstance(step.constant, int):
                raise Refused(iterated, "a range with a step that is no constant")
            up = step.constant > 0
            far = self.arithmetic(iterated, ast.Sub(), *((last, first) if up else (first, last)))
            far = self.atom(self.narrow(far, iterated))
            count = self.counted(iterated, Value(f"max({far.text}, 0)", INT, 0, max(far.high, 0)), abs(step.constant))
            first = self.atom(first)

            def number(i):
                return self.arithmetic(iterated, ast.Add(), first, self.arithmetic(iterated, ast.Mult(), i, integer(step.constant)))

            return self.atom(count), number
        listed = self.named_list(iterated)
        if listed is not None:
            return self.list_count(iterated, listed), lambda i: self.list_element(iterated, listed, i.text)
        base = self.array_of(iterated)
        if isinstance(base, list):
            return integer(len(base)), lambda i: self.tuple_part(iterated, base, i)
        if not isinstance(base, Array) or base.type.ndim != 1:
            raise Refused(iterated, "a comprehension runs over a range or the elements of an array with one dimension")
        base = self.materialised(iterated, base)
        return self.length(base, 0), lambda i: self.at(iterated, base, [i])

"""Loops of Python as loops over ranges: `enumerate`, `zip`, `numpy.ndindex`, tuples, and `else` behind loops."""

from __future__ import annotations

import ast
import builtins
import copy
import math

import numpy

from . import appended
from .types import Refused


def rewritten(tree: ast.FunctionDef, outside) -> ast.FunctionDef:
    """The function with loops over one range, one array or one condition each."""
    # What is refused here is said when the function is called, where other errors are.
    tree = copy.deepcopy(tree)
    loops = _Loops(outside, tree)
    return loops.visit(appended.rewritten(_Listed(loops.resolve).visit(tree), loops.resolve))


def is_range(found) -> bool:
    """Whether a loop over a call of this runs over a range: `range`, `quadra.prange`, `numba.prange`."""
    return found is range or getattr(found, "__name__", "") == "prange" and str(getattr(found, "__module__", "")).split(".")[0] == "numba"


def resolve(node, outside, inside: set):
    """The object that a name outside of a function stands for; `None` if there is none."""
    if isinstance(node, ast.Name) and node.id not in inside:
        try:
            return outside[node.id]
        except KeyError:
            return getattr(builtins, node.id, None)
    if isinstance(node, ast.Attribute):
        base = resolve(node.value, outside, inside)
        return None if base is None else getattr(base, node.attr, None)
    return None


def _breaks(body, kind) -> list:
    """The `break` or `continue` statements that belong to the loop with this body."""
    found = []
    for node in body:
        if isinstance(node, kind):
            found.append(node)
        elif isinstance(node, (ast.For, ast.While)):
            found += _breaks(node.orelse, kind)
        else:
            for part in ("body", "orelse", "handlers", "finalbody"):
                found += _breaks(getattr(node, part, []), kind)
    return found


class _Listed(ast.NodeTransformer):
    """`list(x)` as a comprehension, and `list()` as a list without elements."""

    def __init__(self, resolved):
        self.resolved = resolved

    def visit_Call(self, node):
        self.generic_visit(node)
        if self.resolved(node.func) is not list or len(node.args) > 1 or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            return node
        made: ast.expr = ast.List([], ast.Load())
        if node.args:
            over = ast.comprehension(ast.Name("quadra_element", ast.Store()), node.args[0], [], 0)
            made = ast.ListComp(ast.Name("quadra_element", ast.Load()), [over])
        return ast.fix_missing_locations(ast.copy_location(made, node))


class _Loops(ast.NodeTransformer):
    def __init__(self, outside, tree):
        self.outside, self.count = outside, 0
        self.inside = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.inside |= {a.arg for a in tree.args.args}

    def resolve(self, node):
        return resolve(node, self.outside, self.inside)

    def _fresh(self) -> str:
        self.count += 1
        return f"quadra_loop_{self.count}"

    def _made(self, at, text: str, **parts):
        """Statements from a text in which names in capitals stand for expressions."""
        class Put(ast.NodeTransformer):
            def visit_Name(self, node):
                return copy.deepcopy(parts[node.id]) if node.id in parts and not isinstance(node.ctx, ast.Store) else node

        made = ast.parse(text).body
        for node in made:
            Put().visit(node)
            for part in ast.walk(node):
                if hasattr(part, "lineno"):
                    part.lineno, part.end_lineno = at.lineno, at.end_lineno
                    part.col_offset = part.end_col_offset = 0
        return made

    def _held(self, at, node, body, begin: list):
        """An expression that is computed once: a name that the loop does not change, or a new one."""
        if isinstance(node, ast.Name) and not any(isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store) for s in body for n in ast.walk(s)):
            return node
        name = self._fresh()
        begin += self._made(at, f"{name} = VALUE", VALUE=node)
        return ast.copy_location(ast.Name(name, ast.Load()), at)

    def _assigned(self, at, target, value):
        return ast.copy_location(ast.Assign([target], value), at)

    def visit_For(self, node):
        self.generic_visit(node)
        begin, node, behind = self._without_else(node)
        function = self.resolve(node.iter.func) if isinstance(node.iter, ast.Call) else None
        if function is enumerate and len(node.iter.args) == 1 and [k.arg for k in node.iter.keywords] == ["start"]:
            node.iter.args.append(node.iter.keywords.pop().value)
        if not isinstance(node.iter, ast.Call):
            node.iter = self._numbers(node.iter) or node.iter
        if function is enumerate and len(node.iter.args) in (1, 2) and not node.iter.keywords:
            inner = node.iter.args[0]
            zipped = isinstance(inner, ast.Call) and self.resolve(inner.func) is zip and inner.args and not inner.keywords
            made = self._enumerated_pairs(node, inner) if zipped else self._enumerated(node)
        elif function is zip and node.iter.args and not node.iter.keywords:
            made = self._zipped(node)
        elif function is numpy.ndindex and node.iter.args and isinstance(node.target, ast.Tuple):
            made = self._over_indices(node)
        elif function is reversed and len(node.iter.args) == 1:
            made = self._reversed(node)
        elif isinstance(node.iter, (ast.Tuple, ast.List)) and node.iter.elts:
            made = self._over_items(node)
        else:
            made = [node]
        return [*begin, *made, *behind]

    def visit_While(self, node):
        self.generic_visit(node)
        begin, node, behind = self._without_else(node)
        return [*begin, node, *behind]

    def _without_else(self, node):
        """What stands before a loop, the loop, and what stands behind it."""
        if not node.orelse:
            return [], node, []
        behind, node.orelse = node.orelse, []
        breaks = _breaks(node.body, ast.Break)
        if not breaks:
            return [], node, behind
        name = self._fresh()

        class Mark(ast.NodeTransformer):
            def visit_Break(inner, at):
                return [*self._made(at, f"{name} = False"), at] if any(at is b for b in breaks) else at

        Mark().visit(node)
        test = self._made(node, f"if {name}:\n    pass")[0]
        test.body = behind
        return self._made(node, f"{name} = True"), node, [test]

    def _numbers(self, node):
        """The text of a tuple or list of numbers, or of tuples of numbers, from outside of the function; `None` for anything else."""
        def text(found):
            if isinstance(found, (tuple, list)):
                parts = [text(x) for x in found]
                return None if None in parts or not parts else ast.Tuple(parts, ast.Load())
            if type(found) not in (bool, int, float) or found != found or found in (math.inf, -math.inf):
                return None
            number = ast.Constant(abs(found) if type(found) is not bool else found)
            return ast.UnaryOp(ast.USub(), number) if math.copysign(1.0, found) < 0 else number

        found = self.resolve(node)
        made = text(found) if isinstance(found, (tuple, list)) else None
        return made and ast.fix_missing_locations(ast.copy_location(made, node))

    def _range(self, node, count, body, of=None):
        """A loop over a counter of its own, called after what it counts."""
        name = f"{of.id}_index" if isinstance(of, ast.Name) else self._fresh()
        while name in self.inside:
            name = self._fresh()
        self.inside.add(name)
        loop = ast.copy_location(ast.For(ast.Name(name, ast.Store()), count, body, []), node)
        return name, ast.fix_missing_locations(loop)

    def _enumerated(self, node):
        if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
            raise Refused(node.target, "enumerate gives a number and an element", "for i, x in enumerate(a)")
        begin = []
        array = self._held(node, node.iter.args[0], node.body, begin)
        index, element = node.target.elts
        count = self._made(node, "range(len(A))", A=array)[0].value
        if len(node.iter.args) == 1 and isinstance(index, ast.Name):
            loop = ast.copy_location(ast.For(index, count, [], []), node)
            loop.body = [self._assigned(node, element, self._made(node, f"A[{index.id}]", A=array)[0].value), *node.body]
            return [*begin, ast.fix_missing_locations(loop)]
        name, loop = self._range(node, count, node.body, element)
        counter = self._made(node, name)[0].value
        if len(node.iter.args) == 2:
            first = self._held(node, node.iter.args[1], node.body, begin)
            counter = self._made(node, f"{name} + FIRST", FIRST=first)[0].value
        value = self._made(node, f"A[{name}]", A=array)[0].value
        loop.body = [self._assigned(node, index, counter), self._assigned(node, element, value), *node.body]
        return [*begin, loop]

    def _enumerated_pairs(self, node, zipped):
        """`for i, (x, y) in enumerate(zip(a, b))`: the number of the iteration is counted beside."""
        if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
            raise Refused(node.target, "enumerate gives a number and an element", "for i, (x, y) in enumerate(zip(a, b))")
        begin = []
        first = self._held(node, node.iter.args[1], node.body, begin) if len(node.iter.args) == 2 else ast.Constant(0)
        index, node.target, node.iter = node.target.elts[0], node.target.elts[1], zipped
        made = self._zipped(node)
        counter = self._made(node, f"{made[-1].target.id} + FIRST", FIRST=first)[0].value
        made[-1].body.insert(0, self._assigned(node, index, counter))
        return [*begin, *map(ast.fix_missing_locations, made)]

    def _reversed(self, node):
        """A loop over a range, or the elements of an array, from the end."""
        inner, begin = node.iter.args[0], []
        ranged = isinstance(inner, ast.Call) and is_range(self.resolve(inner.func)) and 1 <= len(inner.args) <= 3
        if not ranged:
            node.iter = self._made(node, "A[::-1]", A=inner)[0].value
            return [node]
        step = inner.args[2] if len(inner.args) == 3 else ast.Constant(1)
        sign = -1 if isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub) else 1
        number = step.operand if sign < 0 else step
        if not isinstance(number, ast.Constant) or type(number.value) is not int or number.value == 0:
            raise Refused(node.iter, "a range with a step that is no constant is not turned round", "write its bounds: range(last, first - 1, -step)")
        by = sign*number.value
        bounds = inner.args[:2] if len(inner.args) > 1 else [ast.copy_location(ast.Constant(0), node), inner.args[0]]
        first, last = (b if isinstance(b, ast.Constant) else self._held(node, b, node.body, begin) for b in bounds)
        # How many steps there are, of which the last comes first.
        text = f"range(A + ((B - A + {by - sign})//{by} - 1)*{by}, A - {sign}, {-by})".replace("--", "- -")
        node.iter = self._made(node, text, A=first, B=last)[0].value
        return [*begin, ast.fix_missing_locations(node)]

    def _zipped(self, node):
        if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != len(node.iter.args):
            raise Refused(node.target, "zip gives as many elements as it has arrays")
        begin = []
        arrays = [self._held(node, a, node.body, begin) for a in node.iter.args]
        lengths = [self._made(node, "len(A)", A=a)[0].value for a in arrays]
        count = lengths[0]
        for length in lengths[1:]:
            count = self._made(node, "min(A, B)", A=count, B=length)[0].value
        name, loop = self._range(node, self._made(node, "range(N)", N=count)[0].value, node.body, node.target.elts[0])
        parts = [self._assigned(node, t, self._made(node, f"A[{name}]", A=a)[0].value) for t, a in zip(node.target.elts, arrays)]
        loop.body = [*parts, *node.body]
        return [*begin, loop]

    def _over_indices(self, node):
        if _breaks(node.body, ast.Break):
            raise Refused(node, "'break' of a loop over several indices", "write a loop for each index")
        begin = []
        args = node.iter.args
        if len(args) == 1 and len(node.target.elts) > 1:
            shape = args[0].elts if isinstance(args[0], ast.Tuple) else None
            args = shape or [self._made(node, f"S[{k}]", S=args[0])[0].value for k in range(len(node.target.elts))]
        if len(args) != len(node.target.elts):
            raise Refused(node.target, "numpy.ndindex gives as many indices as there are dimensions")
        args = [self._held(node, a, node.body, begin) for a in args]
        body = node.body
        for target, length in reversed(list(zip(node.target.elts, args))):
            count = self._made(node, "range(N)", N=length)[0].value
            body = [ast.copy_location(ast.For(target, count, body, []), node)]
        return [*begin, ast.fix_missing_locations(body[0])]

    @staticmethod
    def _plain(node) -> bool:
        """Whether an item is a number of the text."""
        return isinstance(node, ast.Constant) or isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)

    def _over_items(self, node):
        begin = []
        items = node.iter.elts
        if any(isinstance(i, ast.Starred) for i in items):
            raise Refused(node, "a tuple with stars")
        targets = [node.target]
        if isinstance(node.target, ast.Tuple):
            # for a, b in ((1, 2), (3, 4))
            if not all(isinstance(i, (ast.Tuple, ast.List)) and len(i.elts) == len(node.target.elts) for i in items):
                raise Refused(node.target, "as many names as values are needed")
            targets, items = node.target.elts, [i.elts for i in items]
        elif all(isinstance(i, (ast.Tuple, ast.List)) and i.elts for i in items):
            # for t in ((1, 2), (3, 4))
            rows = [ast.Tuple([p if self._plain(p) else self._held(node, p, node.body, begin) for p in i.elts], ast.Load()) for i in items]
            name, loop = self._range(node, self._made(node, f"range({len(items)})")[0].value, node.body, node.target)
            value = self._made(node, f"T[{name}]", T=ast.Tuple(rows, ast.Load()))[0].value
            loop.body = [self._assigned(node, node.target, value), *node.body]
            return [*begin, ast.fix_missing_locations(loop)]
        else:
            items = [[i] for i in items]
        items = [[i if self._plain(i) else self._held(node, i, node.body, begin) for i in row] for row in items]
        name, loop = self._range(node, self._made(node, f"range({len(items)})")[0].value, node.body, targets[0])
        parts = []
        for k, target in enumerate(targets):
            value = items[-1][k]
            for n in range(len(items) - 2, -1, -1):
                value = self._made(node, f"(A if {name} == {n} else B)", A=items[n][k], B=value)[0].value
            parts.append(self._assigned(node, target, value))
        loop.body = [*parts, *node.body]
        return [*begin, loop]

"""Comprehensions with conditions, with several loops or over pairs, as loops before their statement that append to a list."""

from __future__ import annotations

import ast
import copy

import numpy


def rewritten(tree: ast.FunctionDef, resolved) -> ast.FunctionDef:
    """The function without comprehensions but those over one variable and without conditions, which are arrays that no loop makes first.

    One that is evaluated every time its statement is, and once, becomes a loop. Others, as in a condition of `while`, stay; so do those
    beside calls that may write what the loop reads. `resolved` gives what a function's name stands for.
    """
    return _Appended(resolved).visit(tree)


#: Methods that change what they belong to.
CHANGES = ("append", "clear", "extend", "fill", "insert", "itemset", "pop", "remove", "resize", "reverse", "sort")


def _changes_nothing(node, resolved) -> bool:
    """Whether all calls of an expression outside of its comprehensions are of functions that only compute."""
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return True
    if isinstance(node, ast.Call):
        function = resolved(node.func)
        if function is None:
            # A method of an array, or a function of the function's own.
            known = isinstance(node.func, ast.Attribute) and node.func.attr not in CHANGES
        else:
            known = str(getattr(function, "__module__", None) or "").split(".")[0] in ("builtins", "math", "numpy") or isinstance(function, (type, numpy.ufunc))
        if not known:
            return False
    return all(_changes_nothing(part, resolved) for part in ast.iter_child_nodes(node))


def _is_plain(node) -> bool:
    over = node.generators[0]
    return len(node.generators) == 1 and not over.ifs and isinstance(over.target, ast.Name)


def _has_loops(node) -> bool:
    return any(isinstance(n, (ast.ListComp, ast.GeneratorExp)) and not _is_plain(n) for n in ast.walk(node))


def _placed(made, node):
    """A statement that stands, with its new parts, where a comprehension does."""
    for part in ast.walk(made):
        if isinstance(part, (ast.expr, ast.stmt)) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return made


class _Found(ast.NodeTransformer):
    """Takes comprehensions out of an expression, in the order of their evaluation; leaves those that may not be evaluated."""

    def __init__(self, count: int, target: str | None = None):
        #: The name that the statement gives to the first list, if nothing else is done with it.
        self.count, self.loops, self.target = count, [], target

    def _leave(self, node):
        return node

    visit_Lambda = visit_IfExp = visit_BoolOp = _leave

    def visit_Compare(self, node):
        return self.generic_visit(node) if len(node.ops) == 1 else node

    def _appended(self, node):
        # What the first loop runs over is evaluated once, whatever the others do. Its lists are none that the statement names.
        target, self.target = self.target, None
        node.generators[0].iter = self.visit(node.generators[0].iter)
        self.target = target
        if _is_plain(node) or any(g.is_async for g in node.generators):
            return node
        self.count += 1
        name, self.target = self.target or f"quadra_list_{self.count}", None
        # Variables of a comprehension are its own.
        targets = [n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]
        own = {n: f"{n}_{name}" for n in targets}

        class Renamed(ast.NodeTransformer):
            def visit_Name(self, part):
                return ast.copy_location(ast.Name(own.get(part.id, part.id), part.ctx), part)

        first = copy.deepcopy(node.generators[0].iter)
        made = Renamed().visit(copy.deepcopy(node))
        # The first iterable is evaluated outside.
        made.generators[0].iter = first
        append = ast.Expr(ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load()), [made.elt], []))
        body = [append]
        for over in reversed(made.generators):
            for test in reversed(over.ifs):
                body = [ast.If(test, body, [])]
            body = [ast.For(over.target, over.iter, body, [])]
        empty = ast.Assign([ast.Name(name, ast.Store())], ast.List([], ast.Load()))
        self.loops += [_placed(part, node) for part in (empty, *body)]
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    visit_ListComp = visit_GeneratorExp = _appended


class _Appended(ast.NodeTransformer):
    def __init__(self, resolved):
        self.count, self.resolved = 0, resolved

    def _behind_its_loops(self, node, part: str):
        value = getattr(node, part, None)
        if isinstance(value, ast.IfExp) and part == "value" and _has_loops(value):
            # Each case with its own loops.
            cases = [copy.deepcopy(node) for _ in range(2)]
            cases[0].value, cases[1].value = value.body, value.orelse
            return self.visit(ast.copy_location(ast.If(value.test, [cases[0]], [cases[1]]), node))
        self.generic_visit(node)
        if value is None or not _changes_nothing(value, self.resolved):
            return node
        found = _Found(self.count)
        setattr(node, part, found.visit(value))
        self.count = found.count
        return [*found.loops, node]

    def visit_Assign(self, node):
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        if isinstance(node.value, ast.ListComp) and not _is_plain(node.value) and len(names) == len(node.targets) == 1:
            if not any(isinstance(n, ast.Name) and n.id == names[0] for n in ast.walk(node.value)):
                self.generic_visit(node)
                found = _Found(self.count, names[0])
                found.visit(node.value)
                self.count = found.count
                return found.loops
            # The list has its elements before the name loses its old ones.
            self.count += 1
            each = f"quadra_item_{self.count}"
            over = ast.comprehension(ast.Name(each, ast.Store()), node.value, [], 0)
            node.value = _placed(ast.ListComp(ast.Name(each, ast.Load()), [over]), node)
        return self._value(node)

    def _value(self, node):
        return self._behind_its_loops(node, "value")

    visit_AugAssign = visit_Return = visit_Expr = _value

    def visit_If(self, node):
        return self._behind_its_loops(node, "test")

    def visit_For(self, node):
        return self._behind_its_loops(node, "iter")

"""Tuples and lists of constants that a function gives a name: what they hold is known, as that of tuples outside of it."""

from __future__ import annotations

import ast


def taken_out(tree: ast.FunctionDef) -> dict:
    """Removes the assignments of constant tuples, and of constant lists that are only read; gives the objects by name."""
    stores = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    stores += [a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)]
    once = {name for name in stores if stores.count(name) == 1}
    only_read = once - _kept_or_changed(tree)
    found: dict = {}
    for at, node in enumerate(tree.body):
        pairs = _pairs(node)
        values = {name: _constants(value) for name, value in pairs}
        if pairs and all(v is not None and name in (once if isinstance(v, tuple) else only_read) for name, v in values.items()):
            found.update(values)
            tree.body[at] = ast.copy_location(ast.Pass(), node)
    return found


def _pairs(node) -> list:
    """The names that an assignment gives values to, with these."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [(t.id, v) for t, v in zip(target.elts, value.elts)] if all(isinstance(t, ast.Name) for t in target.elts) else []
    return []


def _constants(node):
    """A tuple or a list of numbers, or of such tuples and lists with the same length; `None` for anything else."""
    if not isinstance(node, (ast.Tuple, ast.List)) or not node.elts:
        return None
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return found if _regular(found) else None


def _regular(found) -> bool:
    if all(type(x) in (int, float) for x in found):
        return True
    same = all(isinstance(x, (tuple, list)) and len(x) == len(found[0]) and x for x in found)
    return same and all(_regular(x) for x in found)


def _kept_or_changed(tree) -> set[str]:
    """Names whose values are used for more than their elements and their number."""
    read: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice):
            read.add(id(node.value))
        elif isinstance(node, (ast.For, ast.comprehension)):
            read.add(id(node.iter))
        elif isinstance(node, ast.Compare) and all(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
            read |= {id(part) for part in node.comparators}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "zip", "enumerate"):
            read |= {id(part) for part in node.args}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("array", "asarray"):
            read |= {id(part) for part in node.args}
    # What is stored in an element of an element is stored in a value that is read.
    written = [n for n in ast.walk(tree) if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)]
    changed = {part.id for n in written for part in ast.walk(n.value) if isinstance(part, ast.Name)}
    return changed | {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in read}

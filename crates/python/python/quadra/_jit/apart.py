"""Variables with one name that have nothing to do with each other: each gets a name of its own, if their types differ."""

from __future__ import annotations

import ast
import copy


def renamed(tree: ast.FunctionDef, name: str) -> ast.FunctionDef | None:
    """The function with other names for a variable from each statement of its body on that gives it a new value before it uses it.

    No value goes from what is before such a statement to what is behind it. `None` if there is none.
    """
    if any(a.arg == name for a in tree.args.args):
        return None
    using = [at for at, node in enumerate(tree.body) if _uses(node, name)]
    begins = [_begins(tree.body[at], name) for at in using]
    parts: list[list[int]] = []
    for k, at in enumerate(using):
        # A loop or a branch may leave the variable as it was, which what follows must not see.
        always = isinstance(tree.body[at], ast.Assign) or k + 1 == len(using) or begins[k + 1]
        if begins[k] and always or not parts:
            parts.append([])
        parts[-1].append(at)
    if len(parts) < 2:
        return None
    tree = copy.deepcopy(tree)
    for number, part in enumerate(parts[1:], 2):
        for node in (inner for at in part for inner in ast.walk(tree.body[at])):
            if isinstance(node, ast.Name) and node.id == name:
                node.id = f"{name}_{number}_apart"
    return tree


def _uses(node, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _gives(target, name: str) -> bool:
    """Whether a target of an assignment is the name, or a tuple with it."""
    return isinstance(target, ast.Name) and target.id == name or isinstance(target, ast.Tuple) and any(_gives(part, name) for part in target.elts)


def _begins(node, name: str) -> bool:
    """Whether all uses of a name in a statement, if there are any, are behind an assignment in it."""
    if not _uses(node, name):
        return True
    if isinstance(node, ast.For):
        if _uses(node.iter, name):
            return False
        inside = _gives(node.target, name) or not _uses(node.target, name) and _in_order(node.body, name)
        return inside and all(_begins(part, name) for part in node.orelse)
    if isinstance(node, ast.While):
        return not _uses(node.test, name) and _in_order(node.body, name) and all(_begins(part, name) for part in node.orelse)
    if isinstance(node, ast.If):
        return not _uses(node.test, name) and _in_order(node.body, name) and _in_order(node.orelse, name)
    return isinstance(node, ast.Assign) and not _uses(node.value, name) and all(_gives(t, name) or not _uses(t, name) for t in node.targets)


def _in_order(body: list, name: str) -> bool:
    """Whether the first statement of a block that has the name gives it a value in any case, or each that has it begins with that."""
    for node in body:
        if _uses(node, name):
            return isinstance(node, ast.Assign) and _begins(node, name) or all(_begins(part, name) for part in body)
    return True

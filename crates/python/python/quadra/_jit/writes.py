"""Which parameters a function may write to."""

from __future__ import annotations

import ast


def stored_names(tree) -> set[str]:
    """Names of arrays of which elements are written."""
    found = set()
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AugAssign, ast.For)) else []
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name):
                    found.add(part.value.id)
            if isinstance(node, ast.AugAssign) and isinstance(target, ast.Name):
                found.add(target.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("fill", "sort") and isinstance(node.func.value, ast.Name):
            found.add(node.func.value.id)
    return found


def _names(node) -> set[str]:
    """Names that a value is, without being computed from it."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return set().union(*(_names(part) for part in node.elts)) if node.elts else set()
    if isinstance(node, ast.Subscript):
        return _names(node.value)
    return {node.id} if isinstance(node, ast.Name) else set()


def written(jitted, open_calls: frozenset = frozenset()) -> frozenset:
    """The parameters of a jitted function whose elements it, or a function that it calls, may write."""
    known = jitted.__dict__.get("_written")
    if known is not None:
        return known
    tree = jitted.plain
    found = stored_names(tree)
    # A value that gets another name may be written by that.
    renamed = [(_names(node.value), set().union(*(_names(t) for t in node.targets))) for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found |= _given_away(jitted, node, open_calls | {jitted})
    while True:
        more = found | {name for values, targets in renamed if targets & found for name in values}
        if more == found:
            break
        found = more
    result = frozenset(a.arg for a in tree.args.args if a.arg in found)
    if not open_calls:
        jitted._written = result
    return result


def _given_away(jitted, node, open_calls) -> set[str]:
    """Names of arrays that a call of a jitted function may write to."""
    from . import as_jitted

    function = as_jitted(jitted.resolved(node.func))
    if function is None:
        return set()
    parameters = [a.arg for a in function.plain.args.args]
    writes = set(parameters) if function in open_calls else written(function, open_calls)
    return set().union(*(_names(a) for a, name in zip(node.args, parameters) if name in writes))

"""Functions within functions, and lambdas with a name: each becomes a function of its own that gets what it closes over as arguments."""

from __future__ import annotations

import ast
import copy

from .types import Refused


class Scope:
    """Names outside of a function, with functions that were within another one."""

    def __init__(self, outside):
        self.outside, self.functions = outside, {}

    def __getitem__(self, name: str):
        return self.functions[name] if name in self.functions else self.outside[name]


def lifted(tree: ast.FunctionDef, outside, make):
    """The function without inner ones, and the names outside of it, among which these are; `make` makes a jitted function of a tree."""
    inner = _found(tree)
    if not inner:
        return tree, outside
    tree = copy.deepcopy(tree)
    inner = _found(tree)
    own = _assigned(tree, inner)
    free = {name: _free(function, own) for name, function in inner.items()}
    while True:
        # Who calls another inner function passes on what that closes over.
        more = {name: free[name] | set().union(*(free[n] for n in _names(inner[name]) & set(inner))) for name in inner}
        more = {name: found - _parameters(inner[name]) for name, found in more.items()}
        if more == free:
            break
        free = more
    scope = Scope(outside)
    spelled = {name: f"{name}_within_{tree.name}" for name in inner}
    for name, function in inner.items():
        first = [ast.arg(n) for n in sorted(free[name])]
        text = ast.FunctionDef(function.name, ast.arguments([], first + function.args.args, None, [], [], None, []), function.body, [])
        _Calls(inner, free, spelled).generic(text)
        scope.functions[spelled[name]] = make(ast.fix_missing_locations(ast.copy_location(text, function)), scope)
    _Calls(inner, free, spelled).generic(tree)
    tree.body = _without(tree.body, set(inner)) or [ast.copy_location(ast.Pass(), tree)]
    return ast.fix_missing_locations(tree), scope


def _functions(body):
    """Definitions of functions, and assignments of lambdas, among the statements of a body and the blocks within it."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node, True
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node, True
        else:
            for part in ("body", "orelse"):
                for name, found, _ in _functions(getattr(node, part, []) if isinstance(getattr(node, part, []), list) else []):
                    yield name, found, False


def _found(tree) -> dict:
    """The inner functions by name, lambdas as functions, too."""
    found = {}
    for name, node, always in _functions(tree.body):
        if not always:
            raise Refused(node, f"'{name}' is a function in some cases or in every turn of a loop", "define it before")
        if name in found:
            raise Refused(node, f"'{name}' is defined twice", "use another name")
        function = node
        if isinstance(node, ast.Assign):
            value = node.value
            function = ast.copy_location(ast.FunctionDef(name, value.args, [ast.copy_location(ast.Return(value.body), value)], []), node)
            function.end_lineno = node.end_lineno
        a = function.args
        if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs:
            raise Refused(node, "parameters with stars or by name alone are not in the subset")
        if any(not isinstance(d, ast.Constant) for d in a.defaults):
            raise Refused(node, "the value of a parameter that is left out is a constant of the text")
        for part in ast.walk(function):
            if isinstance(part, (ast.Nonlocal, ast.Global)):
                raise Refused(part, "a function that gives names outside of it values", "return the value")
            if part is not function and (isinstance(part, ast.FunctionDef) or isinstance(part, ast.Lambda)):
                raise Refused(part, "a function within one that is within another", "write it beside it")
        found[name] = function
    return found


def _parameters(function) -> set[str]:
    return {a.arg for a in function.args.args}


def _names(node) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _assigned(tree, inner: dict) -> set[str]:
    """The variables of a function, without those of inner ones."""
    outer = [part for node in _without(copy.deepcopy(tree.body), set(inner)) for part in ast.walk(node)]
    return {p.id for p in outer if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)} | _parameters(tree)


def _free(function, own: set[str]) -> set[str]:
    """The variables of the outer function that an inner one reads."""
    bound = _parameters(function) | {p.id for s in function.body for p in ast.walk(s) if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
    return (set().union(*(_names(s) for s in function.body)) & own) - bound


def _without(body, names: set[str]) -> list:
    def defines(node) -> bool:
        if isinstance(node, ast.FunctionDef):
            return node.name in names
        return isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and node.targets[0].id in names

    return [node for node in body if not defines(node)]


class _Calls(ast.NodeTransformer):
    """Calls of inner functions, with what these close over in front of their arguments."""

    def __init__(self, inner: dict, free: dict, spelled: dict):
        self.inner, self.free, self.spelled = inner, free, spelled

    def generic(self, tree) -> None:
        tree.body = [self.visit(node) for node in tree.body]

    def visit_FunctionDef(self, node):
        # It is taken out; its own calls have been looked at.
        return node

    def visit_Assign(self, node):
        if isinstance(node.value, ast.Lambda):
            return node
        for target in node.targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and part.id in self.inner:
                    raise Refused(node, f"'{part.id}' is a function elsewhere", "use another name")
        return self.generic_visit(node)

    def visit_Name(self, node):
        if node.id in self.inner:
            raise Refused(node, f"the function '{node.id}' as a value", "call it")
        return node

    def visit_Call(self, node):
        if not isinstance(node.func, ast.Name) or node.func.id not in self.inner:
            return self.generic_visit(node)
        name = node.func.id
        args = [self.visit(a) for a in self._in_order(node, self.inner[name].args)]
        first = [ast.copy_location(ast.Name(n, ast.Load()), node) for n in sorted(self.free[name])]
        return ast.copy_location(ast.Call(ast.copy_location(ast.Name(self.spelled[name], ast.Load()), node), first + args, []), node)

    @staticmethod
    def _in_order(node, parameters) -> list:
        """The arguments of a call as the parameters stand, with values for those that are left out."""
        names = [a.arg for a in parameters.args]
        if any(isinstance(a, ast.Starred) for a in node.args) or len(node.args) > len(names):
            raise Refused(node, f"'{node.func.id}' takes {len(names)} arguments")
        given = dict(zip(names, node.args))
        for k in node.keywords:
            if k.arg not in names or k.arg in given:
                raise Refused(node, f"'{node.func.id}' takes no argument '{k.arg}' here")
            given[k.arg] = k.value
        usual = dict(zip(names[len(names) - len(parameters.defaults):], parameters.defaults))
        for name in names:
            if name not in given and name not in usual:
                raise Refused(node, f"'{node.func.id}' misses the argument '{name}'")
        return [given[n] if n in given else copy.deepcopy(usual[n]) for n in names]

"""`import` within a function: its names are what they are outside of it."""

from __future__ import annotations

import ast
import importlib


def taken_out(tree: ast.FunctionDef) -> dict:
    """Removes the imports of a function; gives the objects by name. What cannot be imported stays, and is refused at its line."""
    found: dict = {}

    class Imports(ast.NodeTransformer):
        def visit_Import(self, node):
            for name in node.names:
                try:
                    module = importlib.import_module(name.name)
                except ImportError:
                    return node
                found[name.asname or name.name.split(".")[0]] = module if name.asname else importlib.import_module(name.name.split(".")[0])
            return ast.copy_location(ast.Pass(), node)

        def visit_ImportFrom(self, node):
            try:
                module = importlib.import_module(node.module) if node.module and not node.level else None
                found.update({n.asname or n.name: getattr(module, n.name) for n in node.names})
            except (ImportError, AttributeError):
                return node
            return ast.copy_location(ast.Pass(), node)

    Imports().visit(tree)
    return found

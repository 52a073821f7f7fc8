"""``import quadra.importer`` makes files of Quasar importable: ``import filters`` runs ``filters.q``, which lies where modules of
Python are looked for, and binds its functions. Options of :func:`quadra.compile` come from :data:`options`."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys

from . import compile

#: What programs are compiled with, for example ``options["device"] = "cpu"``.
options: dict = {}


class Loader(importlib.abc.Loader):
    def __init__(self, path: str):
        self.path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module) -> None:
        program = compile(os.path.abspath(self.path), **options)
        module.__dict__["__program__"] = program
        for name in program.variables:
            module.__dict__[name] = program[name]
        for name in program.functions:
            module.__dict__[name] = getattr(program, name)


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        last = name.rpartition(".")[2]
        for folder in sys.path if path is None else path:
            file = os.path.join(folder or os.getcwd(), last + ".q")
            if os.path.isfile(file):
                return importlib.machinery.ModuleSpec(name, Loader(file), origin=file)
        return None


# Modules of Python come first, so that a file of Quasar hides none of them.
if not any(type(f).__name__ == "Finder" and type(f).__module__ == __name__ for f in sys.meta_path):
    sys.meta_path.append(Finder())

"""Cells of Quasar in a notebook: ``%load_ext quadra``, then ``%%quasar``."""

from __future__ import annotations

import sys
import warnings

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import SVG, Image, display

from . import Error, Function, _Session


def _names(lists: list[str] | None) -> list[str]:
    return [name.strip() for names in lists or [] for name in names.split(",") if name.strip()]


def _elsewhere(name: str):
    raise Error(f"'{name}' belongs to the notebook's thread: compile the program with quadra.compile to use it in others")


def run(session: _Session, file: str, text: str) -> None:
    """Runs a text; its warnings go to ``stderr`` as they are."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            session.run(file, text)
        finally:
            for warning in said:
                print(warning.message, file=sys.stderr)


@magics_class
class Quasar(Magics):
    """One session for all cells: functions and variables stay."""

    def __init__(self, shell):
        super().__init__(shell)
        self.device = "auto"
        self.session = _Session(self.device)
        self.cells = 0

    def _value(self, name: str):
        for found, params, outputs in self.session.functions():
            if found == name:
                return Function(self.session, name, params, outputs, _elsewhere)
        if name not in self.session.variables():
            raise Error(f"the cell defines no '{name}'")
        return self.session.get(name)

    @magic_arguments()
    @argument("-i", "--inputs", action="append", metavar="NAMES", help="variables of Python that the cell gets, with commas")
    @argument("-o", "--outputs", action="append", metavar="NAMES", help="variables and functions that Python gets")
    @argument("-d", "--device", help="begins a new session on this device")
    @argument("-q", "--quiet", action="store_true", help="no notes on loops")
    @cell_magic
    def quasar(self, line: str, cell: str) -> None:
        """Runs the cell as a program of Quasar."""
        asked = parse_argstring(self.quasar, line)
        if asked.device is not None and asked.device != self.device:
            self.session = _Session(asked.device)
            self.device = asked.device
        for name in _names(asked.inputs):
            if name not in self.shell.user_ns:
                raise NameError(f"Python has no variable '{name}'", name=name)
            self.session.set(name, self.shell.user_ns[name])
        self.cells += 1
        file = f"cell {self.cells}"
        run(self.session, file, cell)
        for name, _, content in self.session.pictures():
            display(SVG(content.decode()) if name.endswith(".svg") else Image(content))
        if not asked.quiet:
            for _, at, _, text, _ in _Session("host").check(file, cell)[1]:
                print(f"line {at}: {text}")
        self.shell.push({name: self._value(name) for name in _names(asked.outputs)})


def load(shell) -> None:
    """Adds the magics to a shell."""
    shell.register_magics(Quasar)

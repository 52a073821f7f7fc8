"""Quasar programs from Python.

>>> import numpy, quadra
>>> q = quadra.compile('''
... function y = smooth(x)
...     y = zeros(size(x))
...     for i = 1..numel(x)-2
...         y[i] = (x[i-1] + x[i] + x[i+1])/3
...     endfor
... endfunction
... ''')
>>> q.smooth(numpy.array([0, 0, 3, 0, 0], numpy.float32))
array([0., 1., 1., 1., 0.], dtype=float32)

Arrays that lie in memory row by row are used in place: a function that writes to its argument writes to the array of NumPy.
"""

from __future__ import annotations

import importlib.util
import os
import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._quadra import (
    Error, Function, Interrupted, Message, Session as _Session, __version__, devices, offer_llvmlite as _offer_llvmlite, set_threads,
)

__all__ = [
    "Emulation", "Error", "Function", "Interrupted", "Message", "Program", "Verdict", "Warning", "__version__", "compile",
    "devices", "jit", "prange", "set_threads",
]


if TYPE_CHECKING:
    from ._jit import jit, prange


def _find_llvmlite() -> None:
    """Tells where pip has put the library that makes code where there is no libLLVM; nothing of it is imported."""
    found = importlib.util.find_spec("llvmlite")
    if found is not None and found.submodule_search_locations:
        _offer_llvmlite(found.submodule_search_locations[0])


_find_llvmlite()


class Warning(UserWarning):
    """What a program's author should know."""


@dataclass(frozen=True)
class Verdict:
    """What the compiler found out about a loop."""

    file: str
    line: int
    column: int
    #: For example ``parallel over (m, n)``, or why the loop is serial.
    text: str
    #: How many loops of the nest run in parallel, this one the outermost; 0 for a serial loop.
    depth: int

    @property
    def parallel(self) -> bool:
        return self.depth > 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Emulation:
    """A call on the emulated Raspberry Pi."""

    #: What the function gave.
    value: Any
    #: Seconds of all launches on the chip, by the timing model of a Raspberry Pi 1.
    seconds: float
    #: Launches on the QPUs.
    launches: int
    #: Launches that the chip left to its processor; their time is not counted.
    elsewhere: int
    #: The rows of the profile.
    kernels: list


def _read(source: str | os.PathLike) -> tuple[str, str]:
    """The name and the text of a program that is given as a text or a file."""
    text = os.fspath(source)
    if isinstance(source, os.PathLike) or ("\n" not in text and text.endswith(".q")):
        with open(text, encoding="utf-8", errors="surrogateescape") as file:
            content = file.read()
        try:
            content.encode()
        except UnicodeEncodeError:
            with open(text, encoding="latin-1") as file:
                content = file.read()
        return text, content
    return "program.q", text


class Program:
    """A program of Quasar, run: its functions are attributes, its variables items.

    A program can be used from several threads. Each thread that calls a function runs the program for itself first, and has
    variables of its own.

    >>> q = compile("k = 3\\nfunction y = times(x)\\n  y = 3*x\\nendfunction")
    >>> q.times(14), q["k"]
    (42, 3)
    """

    def __init__(self, name: str, text: str, options: dict, quiet: bool = False):
        self._name, self._text, self._options, self._quiet = name, text, options, quiet
        self._local = threading.local()
        self._signatures = {}
        self._session()

    def _new(self, **changed) -> _Session:
        session = _Session(**{**self._options, **changed})
        with warnings.catch_warnings():
            if self._quiet:
                warnings.simplefilter("ignore")
            messages = session.run(self._name, self._text)
        if not changed:
            self._local.messages = messages
        return session

    def _session(self) -> _Session:
        session = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = self._new()
            self._local.functions = {}
            for name, params, outputs in session.functions():
                self._signatures[name] = (params, outputs)
        return session

    def _function(self, name: str) -> Function:
        session = self._session()
        functions = self._local.functions
        if name not in functions:
            params, outputs = self._signatures[name]
            functions[name] = Function(session, name, params, outputs, self._function)
            # Later look-ups are Python's own. In another thread the function found here asks for the one of that thread.
            self.__dict__.setdefault(name, functions[name])
        return functions[name]

    def __getattr__(self, name: str) -> Function:
        if not name.startswith("__") and name in self.__dict__.get("_signatures", ()):
            return self._function(name)
        raise AttributeError(f"'{self._name}' defines no function '{name}'", name=name, obj=self)

    def __dir__(self):
        return [*super().__dir__(), *self._signatures]

    def __getitem__(self, name: str) -> Any:
        """A copy of a global variable's value."""
        session = self._session()
        if name not in session.variables():
            raise KeyError(name)
        return session.get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._session().set(name, value)

    def __repr__(self) -> str:
        return f"<Quasar program {self._name}: {', '.join(sorted(self._signatures))}>"

    @property
    def functions(self) -> list[str]:
        """Names of the functions that the program defines."""
        return sorted(self._signatures)

    @property
    def variables(self) -> list[str]:
        """Names of its global variables."""
        return self._session().variables()

    @property
    def messages(self) -> list[Message]:
        """Warnings and notes of the compiler."""
        self._session()
        return self._local.messages

    def verdicts(self) -> list[Verdict]:
        """Which loops are parallel, and why the others are not."""
        found = _Session(**{**self._options, "device": "host"}).check(self._name, self._text)[1]
        return [Verdict(*row) for row in found]

    def profile(self) -> dict | None:
        """What kernels, loops and functions of this thread cost so far; none without ``profile=True``."""
        return self._session().profile()

    def pictures(self) -> list[tuple[str, str, bytes]]:
        """Name, caption and bytes of the pictures since the last time that somebody asked."""
        return self._session().pictures()

    def emulate(self, function: Function | str, *args, qpus: int = 12) -> Emulation:
        """Calls a function on the emulated Raspberry Pi, with modelled times."""
        name = function if isinstance(function, str) else function.__name__
        if name not in self._signatures:
            raise AttributeError(f"'{self._name}' defines no function '{name}'", name=name, obj=self)
        session = self._new(device="emu", profile=True, qpus=qpus)
        before = [(r["launches"], r["modelled_seconds"] or 0.0) for r in session.profile()["kernels"]]
        value = session.call(name, list(args), self._signatures[name][1])
        kernels = session.profile()["kernels"]
        launches = elsewhere = 0
        seconds = 0.0
        for n, row in enumerate(kernels):
            launched, cost = before[n] if n < len(before) else (0, 0.0)
            if row["modelled_seconds"] is None:
                elsewhere += row["launches"] - launched
            else:
                launches += row["launches"] - launched
                seconds += row["modelled_seconds"] - cost
        return Emulation(value, seconds, launches, elsewhere, kernels)


def compile(
    source: str | os.PathLike,
    *,
    device: str = "auto",
    threads: int | None = None,
    double: bool = False,
    profile: bool = False,
    qpus: int | None = None,
    library: list | tuple = (),
    max_memory: int | None = None,
    name: str | None = None,
) -> Program:
    """Runs a program, a text or the path of a file that ends with ``.q``, and gives what it defines.

    ``device`` is what kernels and parallel loops run on: ``auto``, ``cpu``, ``gpu``, ``qpu``, ``emu``, ``host`` (no compiled code)
    and others that :func:`devices` lists. ``threads`` counts for the whole process, and only before the first kernel runs.
    ``double``: numbers are doubles where the program does not say. ``library``: where imported files are looked for, too.

    """
    if threads is not None:
        set_threads(threads)
    options = {
        "device": device, "double": double, "profile": profile, "qpus": qpus, "library": [os.fspath(p) for p in library],
        "max_memory": max_memory,
    }
    found, text = _read(source)
    return Program(name or found, text, options)


def __getattr__(name: str):
    # Parts that a program may not need are loaded when they are asked for.
    if name in ("jit", "prange"):
        from . import _jit as module

        globals().update(jit=module.jit, prange=module.prange)
        return globals()[name]
    if name in ("qpu", "dask"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'quadra' has no attribute '{name}'", name=name)


def load_ipython_extension(shell) -> None:
    """``%load_ext quadra``: the magics ``%%quasar`` and ``%quasar``."""
    from .notebook import load

    load(shell)

"""Errors of jitted functions, at lines of Python."""

from __future__ import annotations

import functools

import numpy

from .._quadra import Error


class Problem(Error):
    """An error of a jitted function, at a line of Python."""


#: By the code of a diagnostic: what Python would raise.
RAISED = {"Q0400": numpy.linalg.LinAlgError, "Q0340": IndexError, "Q0326": ZeroDivisionError, "Q0327": OverflowError, "Q0330": OverflowError, "Q0303": RecursionError}


@functools.cache
def _problem(kind):
    return Problem if kind is None else type(kind.__name__, (Problem, kind), {"__module__": "quadra", "__doc__": Problem.__doc__})


def problem(kind, code: str, message: str, file: str, line: int, help: list[str], source: str = "") -> Error:
    """An exception with the place in Python."""
    text = f"\nerror{f'[{code}]' if code else ''}: {message}\n --> {file}:{line}\n"
    if source:
        text += f"  |\n{line} | {source}\n  |\n"
    text += "".join(f"  = help: {h}\n" for h in help)
    error = _problem(kind)(text)
    error.code, error.message, error.file, error.line, error.column, error.notes, error.help = code, message, file, line, None, [], help
    return error

"""What one call of a jitted function needs: functions of Quasar, for the types of its arguments."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .._quadra import Error
from .arrays import Array
from .problems import problem
from .translate import Translator
from .types import FLOAT, INT, Refused, Tuple, Type, bounds
from .value import Known, Listed, Value

if TYPE_CHECKING:
    from . import Jitted

#: Integers and lengths up to here are told apart: products of two fit into 32 bits.
SMALL, MIDDLE = 2**15, 2**30
IMPORT = 'import "inttypes.q"'
#: What a function that calls itself before it has returned anything is taken to return, one after the other, until it does.
PROMISES = (Tuple((INT,)), Tuple((FLOAT,)), Tuple((Type("f8"),)), Tuple(()))


class Program:
    """What one call needs, as a program of Quasar: the function and those that it calls, for types of arguments."""

    def __init__(self, jitted: Jitted, values: list, longest: int):
        self.longest = longest
        #: How many arguments are arrays.
        self.arrays = sum(isinstance(x, Array) for v in values for x in (v if isinstance(v, list) else [v]))
        self.known: dict = {}
        #: Functions that draw random numbers.
        self.drawing: set[str] = set()
        #: The translators at work, by what they translate.
        self.open: dict = {}
        #: Text, file and line of Python, and what an assertion there stands for.
        self.lines: list = [(IMPORT, jitted.file, 0, None)]
        try:
            self.name, self.result = self.specialised(jitted.tree, jitted, values)
        except Refused as e:
            raise self._located(e, jitted) from None

    def _located(self, e: Refused, jitted: Jitted) -> Error:
        jitted = getattr(e, "jitted", jitted)
        line = getattr(e.node, "lineno", jitted.tree.lineno)
        message = re.sub(r"_\d+_apart\b", "", e.message)
        return problem(TypeError, "", message, jitted.file, line, [e.help] if e.help else [], jitted.source(line))

    def specialised(self, node, jitted: Jitted, values: list):
        """Name and result of a function for arguments like these."""
        expected = len(jitted.tree.args.args)
        if len(values) != expected:
            raise Refused(node, f"'{jitted.__name__}' takes {expected} arguments, {len(values)} are given")
        kinds = [self._kind(v) for v in values]
        key = (jitted, tuple(kinds))
        if key in self.open:
            # It calls itself: what it returned before, or what is tried.
            translator = self.open[key]
            translator.promise = translator.result or translator.promise or PROMISES[0]
            return translator.called, translator.promise
        if key not in self.known:
            self._translate(jitted, key)
        return self.known[key]

    def _translate(self, jitted: Jitted, key) -> None:
        given = [self._like(kind) for kind in key[1]]
        name = f"{jitted.tree.name if jitted.tree.name.isascii() else 'function'}_{len(self.known)}_{len(self.open)}_"
        before = dict(self.known), list(self.lines), set(self.drawing)
        promises = [None, *PROMISES[1:]]
        for last in [False]*5 + [True]:
            # What a wrong promise led to is forgotten.
            self.known, self.lines, self.drawing = dict(before[0]), list(before[1]), set(before[2])
            translator = None
            try:
                translator = self.open[key] = Translator(self, jitted, name, given, self.longest, promises.pop(0))
                lines = translator.run()
            except Error:
                raise
            except Exception as found:
                e = found if isinstance(found, Refused) else self._internal(found, translator, jitted)
                apart = jitted.apart(getattr(e, "variable", ""))
                if translator is not None and translator.promise and promises and not last and not apart:
                    continue
                if apart:
                    # With names of their own they may have types of their own.
                    self.known, self.lines, self.drawing = before
                    self._translate(jitted, key)
                    return
                e.jitted, e.variable = getattr(e, "jitted", jitted), ""
                raise e from None
            finally:
                self.open.pop(key, None)
            if translator.promise in (None, translator.result):
                break
            if last:
                refused = Refused(jitted.tree, f"what '{jitted.__name__}', which calls itself, returns does not settle", "return a number before it calls itself, or write a loop")
                refused.jitted = jitted
                raise refused
            promises.insert(0, translator.result)
        self.lines += [(line[0], jitted.file, line[1], line[2] if len(line) > 2 else None) for line in lines]
        if translator.draws:
            self.drawing.add(name)
        self.known[key] = name, translator.result

    @staticmethod
    def _internal(found: Exception, translator, jitted) -> Refused:
        """What is to be said of a fault of the translator itself, at the line that it was at."""
        node = ast.Pass(lineno=getattr(translator, "line", jitted.tree.lineno))
        what = f"{type(found).__name__}: {found}" if str(found) else type(found).__name__
        return Refused(node, f"this statement is not translated ({what})", "a fault of quadra.jit: write it in another way, and report it")

    def _kind(self, v):
        """What functions are told apart by."""
        if isinstance(v, Array):
            return v.type
        if isinstance(v, (Known, Listed)):
            return v
        if isinstance(v, list):
            return "tuple", *(self._kind(part) for part in v)
        if v.type.is_float or v.type.is_complex:
            return (v.type,)
        # Bounds of 16 and 31 bits and those of the type, so that calls share what they can.
        least, greatest = bounds(v.type.name)
        for edge in (SMALL, MIDDLE):
            if -edge <= v.low and v.high <= edge:
                least, greatest = max(least, -edge), min(greatest, edge)
                break
        return v.type, max(least, min(v.low, 1)) if v.low >= 0 else least, greatest

    def _like(self, kind):
        """A parameter of such a kind."""
        if isinstance(kind, Type):
            return Array(kind)
        if isinstance(kind, (Known, Listed)):
            return kind
        if kind[0] == "tuple":
            return [self._like(part) for part in kind[1:]]
        low, high = kind[1:] if len(kind) > 1 else (0, 0)
        wide = kind[0].is_int and (low < -(2**31) + 1 or high > 2**31 - 1)
        return Value("", kind[0], low, high, atom=True, wide=wide)

    @property
    def text(self) -> str:
        return "\n".join(line[0] for line in self.lines) + "\n"

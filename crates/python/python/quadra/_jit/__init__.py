"""Functions of Python, compiled: a loop-and-array subset of the language with NumPy.

>>> import numpy, quadra
>>> @quadra.jit
... def smooth(x):
...     y = numpy.zeros_like(x)
...     for i in range(1, len(x) - 1):
...         y[i] = (x[i-1] + x[i] + x[i+1])/3
...     return y
>>> smooth(numpy.array([0.0, 0.0, 3.0, 0.0, 0.0]))
array([0., 1., 1., 1., 0.])
>>> [v.text for v in smooth.verdicts(numpy.zeros(5))]
['parallel over (i)']

The function means what it means to Python; what cannot be kept is refused with an error at its line. Integers have 64 bits.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import textwrap
import threading
from dataclasses import dataclass

import numpy

from .._quadra import Dispatch, Error
from . import apart, constants, imports
from .arrays import Array
from .inner import lifted
from .loops import resolve, rewritten
from .problems import RAISED, problem
from .program import MIDDLE, SMALL, Program
from .randoms import state
from .translate import assigned_names
from .types import Type, bounds, element
from .value import Known, Listed, Value
from .writes import written

__all__ = ["Jitted", "jit", "prange"]

#: A range whose iterations are independent: all loops are examined, so this is `range`.
prange = range


def _of_key(kind):
    """An argument of a call with such a key."""
    if kind[0] == "known":
        return Known(kind[1])
    if kind[0] == "list":
        return Listed(Type(kind[1]))
    if kind[0] == "tuple":
        return [_of_key(part) for part in kind[1:]]
    if len(kind) == 2:
        return Array(Type(*kind))
    if len(kind) == 1:
        return Value("", Type(kind[0]), atom=True)
    least, greatest = bounds(kind[0])
    if kind[1]:
        least, greatest = max(least, -kind[1]), min(greatest, kind[1])
    return Value("", Type(kind[0]), least if kind[2] is None else kind[2], greatest, atom=True)


#: Types of results that are numbers of Python as the program gives them.
_PLAIN_RESULTS = ("int", "float")
#: By type of Python and by type of elements: names of types.
_PLAIN = {bool: "bool", int: "int", float: "float", complex: "complex"}
_ELEMENTS: dict = {}
#: What makes a result a number of NumPy. A truth value comes as an integer.
_SCALARS = {name: numpy.dtype(name).type for name in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "f4", "f8", "c8", "c16")}


class Jitted(Dispatch):
    """A function of Python that is compiled when it is called; `verdicts`, `source` and `profile` tell of calls like it."""

    def __init__(self, function, options: dict):
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise Error(f"\nerror: the source of '{function.__name__}' is not there to be translated\n") from None
        self._begin(function, options, "".join(lines), first, inspect.getsourcefile(function) or "<unknown>")

    def _begin(self, function, options: dict, text: str, first: int, file: str):
        functools.update_wrapper(self, function)
        self.function, self.options, self.first, self.file, self._text = function, options, first, file, text
        self._lines = text.splitlines()
        text = textwrap.dedent(text)
        tree = ast.parse(text).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise Error("\nerror: only functions made by 'def' are compiled\n")
        ast.increment_lineno(tree, self.first - 1)
        self.tree = tree
        a = tree.args
        if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs:
            raise problem(TypeError, "", "parameters with stars or by name alone are not in the subset", self.file, tree.lineno, [])
        self.outside = _Outside(function, imports.taken_out(tree) | constants.taken_out(tree))
        self._plain = None
        self.signature = inspect.signature(function)
        self._names = list(self.signature.parameters)
        self._programs: dict = {}
        self._lock = threading.Lock()

    @property
    def plain(self):
        """The function with loops over one range each."""
        if self._plain is None:
            flat, self.outside = lifted(self.tree, self.outside, self._within)
            self._plain = rewritten(flat, self.outside)
        return self._plain

    def apart(self, name: str) -> bool:
        """Gives variables of one name that have nothing to do with each other names of their own; false if there are none."""
        found = apart.renamed(self.plain, name) if name else None
        self._plain = found or self._plain
        return found is not None

    def _within(self, tree, outside) -> Jitted:
        """A function that stood within this one."""
        made = Jitted.__new__(Jitted)
        made.__name__, made.tree, made.outside, made._plain = tree.name, tree, outside, None
        made.options, made.first, made.file, made._text, made._lines = self.options, self.first, self.file, self._text, self._lines
        return made

    def __reduce__(self):
        """By its source: it compiles where it is called."""
        outside = {}
        inside = assigned_names(self.tree.body) | {a.arg for a in self.tree.args.args}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id not in outside and node.id not in inside:
                try:
                    found = self.outside[node.id]
                except KeyError:
                    continue
                outside[node.id] = _Module(found.__name__) if inspect.ismodule(found) else found
        return _rebuilt, (self.__name__, self._text, self.first, self.file, outside, self.options)

    def resolved(self, node):
        """What a name outside of the function stands for; `None` if that is not known."""
        return resolve(node, self.outside, assigned_names(self.tree.body) | {a.arg for a in self.tree.args.args})

    def source(self, line: int) -> str:
        at = line - self.first
        return self._lines[at] if 0 <= at < len(self._lines) else ""

    def __get__(self, instance, owner=None):
        raise TypeError("methods are not compiled: decorate a function")

    def _bound(self, args, named):
        if named or len(args) != len(self._names):
            bound = self.signature.bind(*args, **named)
            bound.apply_defaults()
            return list(bound.args)
        return list(args)

    def _prepared(self, args):
        """Key of the types, and the arguments as Quasar gets them."""
        # The first part of the key says whether all arrays are short.
        key, passed = [True], []
        for at, a in enumerate(args):
            key.append(self._passed(at, a, passed))
        for a in passed:
            if isinstance(a, numpy.ndarray):
                for n in a.shape:
                    if n > SMALL:
                        key[0] = False
                        if n > MIDDLE:
                            raise self._problem(OverflowError, "an array has more than 2**30 elements along an axis")
        return tuple(key), passed

    def _passed(self, at: int, a, passed: list):
        """What an argument adds to the key, and to what is passed on."""
        if isinstance(a, numpy.ndarray):
            kind = _ELEMENTS.get(a.dtype)
            if kind is None:
                kind = _ELEMENTS[a.dtype] = element(a.dtype) or ""
            ndim = a.ndim
            if not kind or not 1 <= ndim <= 4:
                raise self._no_array(at, a)
            passed.append(a.view(numpy.uint8) if kind == "b1" else a)
            return kind, ndim
        kind = _PLAIN.get(type(a))
        if kind is None:
            if a is None or type(a) is str:
                return "known", a
            if isinstance(a, tuple) and not any(isinstance(x, (tuple, str)) or x is None for x in a):
                return "tuple", *(self._passed(at, x, passed) for x in a)
            if type(a) is list:
                return self._passed_list(at, a, passed)
            kind = element(a.dtype) if isinstance(a, numpy.generic) else None
        if kind is None:
            message = f"'{self._names[at]}' is a {type(a).__name__}, which jitted functions do not take"
            raise self._problem(TypeError, message, "numbers, arrays of NumPy, tuples of these, lists of numbers, texts and None are arguments")
        if kind in ("float", "f4", "f8"):
            passed.append(numpy.float32(a) if kind == "f4" else float(a))
            return (kind,)
        if kind in ("complex", "c8", "c16"):
            passed.append(complex(a))
            return (kind,)
        a = int(a)
        if not -(2**63) <= a < 2**63:
            raise self._problem(OverflowError, f"'{self._names[at]}' needs more than 64 bits")
        passed.append(a)
        return kind, SMALL if -SMALL <= a <= SMALL else MIDDLE if -MIDDLE <= a <= MIDDLE else 0, None if a < 0 else min(a, 1)

    def _passed_list(self, at: int, a: list, passed: list):
        """A list of integers, or of floats, as an array; nothing is written to it."""
        kinds = {type(x) for x in a} or {int}
        kind = kinds.pop()
        if kinds or kind not in (int, float):
            raise self._problem(TypeError, f"'{self._names[at]}' is a list of other things than integers alone, or floats alone", "pass an array of NumPy, or convert its elements: [float(v) for v in x]")
        try:
            passed.append(numpy.array(a, numpy.int64 if kind is int else numpy.float64))
        except OverflowError:
            raise self._problem(OverflowError, f"an element of '{self._names[at]}' needs more than 64 bits") from None
        return "list", kind.__name__

    def _problem(self, kind, message: str, *help: str) -> Error:
        return problem(kind, "", message, self.file, self.tree.lineno, list(help))

    def _no_array(self, at: int, a) -> Error:
        message = f"'{self._names[at]}' is an array of {a.dtype} with {a.ndim} dimensions, which the subset has not"
        return self._problem(TypeError, message, "arrays have 1 to 4 dimensions of bool, int8 to int64, uint8 to uint32, float32, float64, complex64 or complex128")

    def _program(self, key):
        made = self._programs.get(key)
        if made is None:
            with self._lock:
                made = self._programs.get(key)
                if made is None:
                    made = self._programs[key] = self._made(key)
        return made

    def _made(self, key):
        from .. import Program as Compiled

        longest = SMALL if key[0] else MIDDLE
        values = [_of_key(kind) for kind in key[1:]]
        program = Program(self, values, longest)
        options = {"double": True, "device": "auto", "profile": False, "qpus": None, "library": [], "max_memory": None, **self.options}
        try:
            # Verdicts are asked for; a loop that is serial is no fault.
            compiled = Compiled(self.file, program.text, options, quiet=True)
        except Error as e:
            raise self._translated(e, program) from None
        # The function as such returns a tuple, even of one value.
        return program, compiled, getattr(compiled, program.name)

    def _translated(self, e: Error, program: Program) -> Error:
        """An error of the translated text, at Python's line."""
        line = getattr(e, "line", None)
        if line is None or not 1 <= line <= len(program.lines):
            return e
        _, file, at, check = program.lines[line - 1]
        kind, message = RAISED.get(e.code), e.message
        if check is not None and e.code == "Q0315":
            kind, message = check
        found = problem(kind, e.code, message, file, at, [] if check or kind else list(e.help), self.source(at))
        found.__cause__ = None
        return found

    def _called(self, *args, **named):
        """A call unlike those that `Dispatch` remembers."""
        if named or len(args) != len(self._names):
            args = self._bound(args, named)
        key, passed = self._prepared(args)
        program, _, function = self._programs.get(key) or self._program(key)
        if program.arrays > 1:
            self._refuse_overlap(passed)
        try:
            values = function(state(), *passed) if program.name in program.drawing else function(*passed)
        except Error as e:
            raise self._translated(e, program) from None
        types = program.result.items
        self._remembered(program, function, args, types)
        if not types:
            return None
        if len(types) == 1 and types[0].name in _PLAIN_RESULTS and not types[0].is_array:
            return values
        if len(args) != len(passed):
            args = [x for a in args for x in (a if isinstance(a, tuple) else (a,)) if x is not None and type(x) is not str]
        if len(types) == 1:
            return self._given(values, types[0], args, passed)
        return tuple([self._given(v, t, args, passed) for v, t in zip(values, types)])

    def _remembered(self, program: Program, function, args, types) -> None:
        """Lets calls like this go to the function at once, if what they are given and give needs no look at it."""
        if program.name in program.drawing or len(types) > 1 or any(isinstance(a, list) for a in args) or program.arrays > 1 and written(self):
            return
        type = types[0] if types else None
        if type is None or not type.is_array and type.name in _PLAIN_RESULTS:
            self._remember(tuple(args), function, None)
        elif type.is_array and type.name != "b1" and not type.listed:
            self._remember(tuple(args), function, type.ndim)

    def _failed(self, e: Exception, args):
        """The error of a call that `Dispatch` made."""
        if not isinstance(e, Error):
            raise e
        program, _, _ = self._for(args, {})
        raise self._translated(e, program) from None

    @staticmethod
    def _shaped(v, ndim: int):
        """An array with so many dimensions: a single row comes as a vector, and lengths of one behind the second are left out."""
        shape = (1, *v.shape) if v.ndim == 1 else v.shape
        return v.reshape(shape + (1,)*(ndim - len(shape)))

    def _refuse_overlap(self, passed) -> None:
        arrays = [a for a in passed if isinstance(a, numpy.ndarray)]
        if len(arrays) < 2 or not written(self):
            return
        for k, a in enumerate(arrays):
            for b in arrays[k + 1:]:
                if a is not b and numpy.may_share_memory(a, b) and numpy.shares_memory(a, b):
                    raise problem(ValueError, "", "two arguments share elements", self.file, self.tree.lineno, ["copy one of them"])

    @staticmethod
    def _given(v, type: Type, args, passed):
        """A result as Python would have it."""
        if type.is_array:
            for original, given in zip(args, passed):
                if v is given:
                    return original
            if v.ndim != type.ndim:
                v = Jitted._shaped(v, type.ndim)
            v = v.view(numpy.bool_) if type.name == "b1" else v
            if type.listed and type.ndim == 2:
                return [tuple(part) for part in v.tolist()]
            if type.listed:
                return v.tolist() if type.listed in _PLAIN.values() else list(v)
            return v
        if type.name == "int":
            return int(v)
        if type.name == "float":
            return float(v)
        if type.name == "complex":
            return complex(v)
        if type.name == "bool":
            return bool(v)
        return _SCALARS[type.name](v)

    def _for(self, args, named):
        return self._program(self._prepared(self._bound(args, named))[0])

    def verdicts(self, *args, **named) -> list:
        """For a call like this: which loops are parallel, and why the others are not, at the lines of Python."""
        import dataclasses

        program, compiled, _ = self._for(args, named)
        found = []
        for v in compiled.verdicts():
            _, file, at, _ = program.lines[v.line - 1]
            if not any((w.file, w.line, w.text) == (file, at, v.text) for w in found):
                found.append(dataclasses.replace(v, file=file, line=at, column=1))
        return found

    def text(self, *args, **named) -> str:
        """The program of Quasar that a call like this runs."""
        return self._for(args, named)[0].text

    def emulate(self, *args, qpus: int = 12, **named):
        """The call on the emulated Raspberry Pi, with modelled times."""
        args = self._bound(args, named)
        key, passed = self._prepared(args)
        program, compiled, function = self._program(key)
        first = [state()] if program.name in program.drawing else []
        return compiled.emulate(function, *first, *passed, qpus=qpus)

    def __repr__(self) -> str:
        return f"<jitted function {self.__name__}>"


@dataclass(frozen=True)
class _Module:
    name: str


def _rebuilt(name: str, text: str, first: int, file: str, outside: dict, options: dict) -> Jitted:
    """A jitted function from its source, one for each source in a process."""
    key = (text, file, first, tuple(sorted((n, repr(v)) for n, v in outside.items())), tuple(sorted(options.items())))
    with _REBUILDING:
        made = _KNOWN.get(key)
        if made is None:
            space = {n: importlib.import_module(v.name) if isinstance(v, _Module) else v for n, v in outside.items()}
            tree = ast.parse(textwrap.dedent(text))
            tree.body[0].decorator_list = []
            exec(builtins.compile(tree, file, "exec"), space)
            made = _KNOWN[key] = Jitted.__new__(Jitted)
            made._begin(space[name], options, text, first, file)
    return made


_KNOWN: dict = {}
_REBUILDING = threading.RLock()


class _Outside:
    """Names outside of a function, as they are when it is compiled."""

    def __init__(self, function, imported: dict):
        self.function, self.imported = function, imported

    def __getitem__(self, name: str):
        if name in self.imported:
            return self.imported[name]
        code, closure = self.function.__code__, self.function.__closure__ or ()
        for free, cell in zip(code.co_freevars, closure):
            if free == name:
                try:
                    return cell.cell_contents
                except ValueError:
                    raise KeyError(name) from None
        return self.function.__globals__[name]


def jit(function=None, *, device: str = "auto", profile: bool = False):
    """Compiles a function of Python, of the loop-and-array subset, when it is called.

    Used as ``@quadra.jit`` or ``@quadra.jit(device="cpu")``. What the subset has not is an error at its line.
    """
    if function is None:
        return lambda f: Jitted(f, {"device": device, "profile": profile})
    return Jitted(function, {"device": device, "profile": profile})


@functools.cache
def _own(function) -> Jitted:
    return jit(function)


def as_jitted(found) -> Jitted | None:
    """A jitted function, or one that the subset's own parts are written in; `None` for anything else."""
    if isinstance(found, Jitted):
        return found
    own = inspect.isfunction(found) and found.__module__ in (f"{__name__}.library", f"{__name__}.scans", f"{__name__}.rearranged")
    return _own(found) if own else None

"""Random numbers: `random.random()`, `numpy.random.normal(…)` and their like, from one generator for each thread of Python.

A function that draws has the generator's state as its first parameter, an array with one integer. It works on a copy, which it writes
back where it ends and around calls of functions that draw, too.
"""

from __future__ import annotations

import ast
import math
import os
import random
import threading

import numpy

from .arrays import Array
from .types import FLOAT, INT, Refused, Type
from .value import Value, integer, number

#: The array with the state, and the copy that a function works on.
STATE, OWN = "random_", "random_state_"
#: A linear congruential generator of 60 bits, of which the upper 53 are a number. Its factor has 32 bits, so that no product of it and half
#: of the state, which has 30, leaves 64.
FACTOR, TERM = 0xD15B2D2D, 0x851F42D4C957F2D
HALF, WHOLE, BITS = 30, 60, 53

_THREADS = threading.local()


def state() -> numpy.ndarray:
    """The state of this thread's generator."""
    found = getattr(_THREADS, "state", None)
    if found is None:
        found = _THREADS.state = numpy.frombuffer(bytearray(os.urandom(8)), numpy.int64) & (2**WHOLE - 1)
    return found


def uniform(t, node, low=number(0.0), high=number(1.0)):
    low, high = (t.atom(t.coerce(node, t.as_int(v), FLOAT)) for v in (low, high))
    u = t.drawn(node)
    return u if low.constant == 0.0 and high.constant == 1.0 else Value(f"({low.text} + ({high.text} - {low.text})*{u.text})", FLOAT)


def normal(t, node, mean=number(0.0), deviation=number(1.0)):
    mean, deviation = (t.atom(t.coerce(node, t.as_int(v), FLOAT)) for v in (mean, deviation))
    far, turn = t.drawn(node), t.drawn(node)
    # By Box and Muller. Zero is drawn, one is not.
    return Value(f"({mean.text} + {deviation.text}*(sqrt(-2.0*log(1.0 - {far.text}))*cos({2.0*math.pi!r}*{turn.text})))", FLOAT)


def exponential(t, node, scale=number(1.0)):
    scale = t.atom(t.coerce(node, t.as_int(scale), FLOAT))
    return Value(f"(-{scale.text}*log(1.0 - {t.drawn(node).text}))", FLOAT)


def whole(t, node, low, high=None):
    """An integer from the first bound up to the second, which is left out."""
    low, high = (integer(0), low) if high is None else (low, high)
    low, high = (t.atom(t.narrow(t.as_int(v), node)) for v in (low, high))
    t.check(node, f"{low.text} < {high.text}", ValueError, "low >= high")
    return Value(f"({low.text} + int({t.drawn(node).text}*float({high.text} - {low.text})))", INT, low.low, high.high - 1)


def including(t, node, low, high):
    return whole(t, node, low, t.arithmetic(node, ast.Add(), t.as_int(high), integer(1)))


#: By function: what draws a number, and how many arguments it takes at most; one more is a shape.
DRAWS = {
    random.random: (uniform, 0), random.uniform: (uniform, 2), random.gauss: (normal, 2), random.normalvariate: (normal, 2), random.randint: (including, 2),
    random.randrange: (whole, 2), numpy.random.random: (uniform, 0), numpy.random.random_sample: (uniform, 0), numpy.random.uniform: (uniform, 2),
    numpy.random.normal: (normal, 2), numpy.random.standard_normal: (normal, 0), numpy.random.exponential: (exponential, 1), numpy.random.randint: (whole, 2),
}
#: Functions whose arguments are the lengths of an array.
LENGTHS = {numpy.random.rand: uniform, numpy.random.randn: normal}
SEEDS = (random.seed, numpy.random.seed)
SHUFFLES = (random.shuffle, numpy.random.shuffle)


class Randoms:
    """Part of the translator."""

    def drawn(self, node) -> Value:
        """The next number from 0 up to 1, which is left out."""
        self.draws = True
        factor, term, half, whole = (integer(n).text for n in (FACTOR, TERM, 2**HALF - 1, 2**WHOLE - 1))
        upper = f"shl(and(shr({OWN}, {HALF})*{factor}, int64({half})), {HALF})"
        self.emit(node, f"{OWN} = and(and({OWN}, int64({half}))*{factor} + {upper} + {term}, {whole})")
        mixed = f"shr(xor({OWN}, shr({OWN}, 32)), {WHOLE - BITS})"
        return self.declared("scalar'double", Value(f"(float({mixed})*{2.0**-BITS!r})", FLOAT))

    def kept_state(self, node) -> None:
        """Writes the state back for others."""
        if self.draws:
            self.emit(node, f"{STATE}[0] = {OWN}")

    def random_called(self, node, function):
        """A call of a function that draws, begins anew or shuffles; `None` for others. What gives no value gives an empty list."""
        try:
            draw, most = DRAWS.get(function) or (LENGTHS.get(function), None)
            other = function in SEEDS or function in SHUFFLES
        except TypeError:
            return None
        if draw is None and not other:
            return None
        args = [self.expression(a) for a in node.args]
        shape = next((self.expression(k.value) for k in node.keywords if k.arg == "size"), None)
        if any(k.arg != "size" for k in node.keywords) or other and (len(args) != 1 or shape is not None):
            raise Refused(node, f"'{ast.unparse(node.func)}' with these arguments is not in the subset")
        if function in SEEDS:
            return self._seeded(node, args[0])
        if function in SHUFFLES:
            return self._shuffled(node, args[0])
        if most is None:
            args, shape = [], args or None
        elif len(args) == most + 1 and shape is None and getattr(function, "__self__", None) is not random._inst:
            shape = args.pop()
        if len(args) > (most or 0) or any(not isinstance(a, Value) for a in args):
            raise Refused(node, f"'{ast.unparse(node.func)}' with these arguments is not in the subset")
        if shape is None:
            return draw(self, node, *args)
        lengths = [self.atom(v) for v in self.lengths_given(node, shape)]
        args = [self.atom(a) for a in args]
        made = self.allocated(node, Type("i8" if draw in (whole, including) else "f8", len(lengths)), lengths)
        self.loops(node, lengths, lambda i: self.emit(node, f"{self.spot(node, made, i)} = {draw(self, node, *args).text}"))
        return made

    def _seeded(self, node, seed) -> list:
        self.draws = True
        if not isinstance(seed, Value) or not seed.type.is_int:
            raise Refused(node, "a generator begins with an integer")
        # Seeds that lie side by side begin far apart.
        self.emit(node, f"{OWN} = and({self.wide(seed).text}, {integer(2**WHOLE - 1).text})")
        self.drawn(node)
        self.drawn(node)
        return []

    def _shuffled(self, node, a) -> list:
        if not isinstance(a, Array) or a.type.ndim != 1 or a.compute is not None:
            raise Refused(node, "an array with one dimension is shuffled")
        place, other, held = self.fresh(), self.fresh(), self.fresh()
        length = self.length(a, 0)
        self.emit(node, f"for {place} = {length.text}-1..(-1)..1")
        here = Value(place, INT, 0, self.longest, atom=True)
        there = Value(other, INT, 0, self.longest, atom=True)
        self.emit(node, f"{other} : int = int({self.drawn(node).text}*float({place} + 1))")
        element = self.at(node, a, [here])
        self.emit(node, f"{held} : {self.quasar(element)} = {element.text}")
        self.emit(node, f"{self.spot(node, a, [here])} = {self.spot(node, a, [there])}")
        self.emit(node, f"{self.spot(node, a, [there])} = {held}")
        self.emit(node, "endfor")
        return []

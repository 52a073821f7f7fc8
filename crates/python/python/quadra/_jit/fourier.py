"""Functions of `numpy.fft`, by the transforms that the language has."""

from __future__ import annotations

import ast

import numpy

from . import rearranged
from .arrays import Array
from .types import FLOAT, INT, Refused, Type, checked_array
from .value import Evaluated, Known, Value, integer

fft = numpy.fft
#: By function: how Quasar calls it, how many axes it has, whether what it takes, and what it gives, is half of a symmetric spectrum.
TRANSFORMS = {
    fft.fft: ("fft1", 1, False, False), fft.ifft: ("ifft1", 1, False, False), fft.rfft: ("fft1", 1, False, True), fft.irfft: ("ifft1", 1, True, False),
    fft.fft2: ("fft2", 2, False, False), fft.ifft2: ("ifft2", 2, False, False),
}
FREQUENCIES = {fft.fftfreq: rearranged.frequencies, fft.rfftfreq: rearranged.half_frequencies}


class Fourier:
    """Part of the translator."""

    def transform(self, node, function):
        """A call of a function of `numpy.fft`; `None` for others."""
        try:
            if function in FREQUENCIES:
                return self._frequencies(node, FREQUENCIES[function])
            if function in (fft.fftshift, fft.ifftshift):
                return self._shifted_spectrum(node, function is fft.ifftshift)
            name, axes, half, halved = TRANSFORMS.get(function, (None, 0, False, False))
        except TypeError:
            return None
        if name is None:
            return None
        a = self.array_of(node.args[0]) if node.args else None
        sizes = {k.arg: k.value for k in node.keywords}
        n = node.args[1] if len(node.args) == 2 and axes == 1 else sizes.pop("n", None)
        n = None if n is None else self.expression(n)
        n = None if isinstance(n, Known) and n.value is None else n
        fits = isinstance(a, Array) and not sizes and len(node.args) < 3 and (a.type.ndim == axes or a.type.ndim == 2 and not half)
        if not fits or n is not None and not (isinstance(n, Value) and n.type.is_int and a.type.ndim == 1):
            raise Refused(
                node, f"'{ast.unparse(node.func)}' with these arguments is not in the subset", "it takes an array of one dimension, and n; or a matrix alone",
            )
        if n is not None:
            n = self.atom(self.narrow(n, node))
        single = numpy.lib.NumpyVersion(numpy.__version__) >= "2.0.0" and a.type.name in ("f4", "c8")
        if half:
            return self._real_of_half(node, a, n, single)
        found = self._transformed(node, name, a, n)
        if halved:
            last = found.type.ndim - 1
            lengths = [self.length(found, k) for k in range(last + 1)]
            lengths[last] = self.atom(Value(f"int(idivide({lengths[last].text}, 2) + 1)", INT, 1, self.longest))
            found = Array(found.type, None, None, lengths, lambda i, whole=found: self.at(node, whole, i), frozenset([found.name]))
        if single:
            found = self.each(node, [found], lambda v: self.coerce(node, v, Type("c8")))
        return self.materialised(node, found)

    def _transformed(self, node, name: str, a: Array, n: Value | None = None) -> Array:
        """The transform of an array as one of complex doubles, along its last axes."""
        to = Type("c16" if a.type.is_complex else "f8")
        if a.type.name != to.name:
            a = self.each(node, [a], lambda v: self.coerce(node, self.as_int(v), to))
        a = self.materialised(node, a)
        lengths = [self.length(a, k) for k in range(a.type.ndim)]
        if n is not None:
            lengths[-1] = n
        for length in lengths:
            self.check(node, f"{length.text} > 0", ValueError, "Invalid number of FFT data points specified.")
        found = self.fresh()
        self.emit(node, f"{found} : {checked_array('c16', a.type.ndim)} = {name}({a.name}{f', {n.text}' if n is not None else ''})")
        return self.named(Type("c16", a.type.ndim), found, frozenset(k for k, v in enumerate(lengths) if v.constant == 1))

    def _real_of_half(self, node, a: Array, n: Value | None, single: bool) -> Array:
        """The real signal whose spectrum begins with these elements."""
        to = Type("c16")
        a = self.materialised(node, self.each(node, [a], lambda v: self.coerce(node, self.as_int(v), to)))
        n = n or self.atom(Value(f"2*({self.length(a, 0).text} - 1)", INT, -2, 2*self.longest))
        self.check(node, f"{n.text} > 0", ValueError, "Invalid number of FFT data points specified.")
        whole = self.call_jitted_with(node, rearranged.whole_spectrum, [a, Value(n.text, INT, 1, self.longest, atom=True)])[0]
        found = self._transformed(node, "ifft1", whole)
        real = self.each(node, [found], lambda v: self.complex_part(node, v, "real"))
        return self.materialised(node, self.each(node, [real], lambda v: self.coerce(node, v, Type("f4"))) if single else real)

    def _frequencies(self, node, compute) -> Array:
        values = [self.number(a) for a in node.args]
        values += [self.number(k.value) for k in node.keywords if k.arg == "d" and len(values) == 1]
        if not 1 <= len(values) <= 2 or len(values) != len(node.args) + len(node.keywords) or not values[0].type.is_int:
            raise Refused(node, f"'{ast.unparse(node.func)}' takes an integer and a distance")
        n = self.atom(self.narrow(values[0], node).with_type(INT))
        self.check(node, f"{n.text} > 0", ZeroDivisionError, "frequencies of no samples")
        distance = values[1] if len(values) == 2 else integer(1)
        return self.call_jitted_with(node, compute, [n, self.atom(self.coerce(node, self.as_int(distance), FLOAT))])[0]

    def _shifted_spectrum(self, node, back: bool) -> Array:
        """Frequency 0 in the middle, along all axes, or the other way."""
        a = self.array_of(node.args[0]) if len(node.args) == 1 and not node.keywords else None
        if not isinstance(a, Array):
            raise Refused(node, f"'{ast.unparse(node.func)}' takes one array, and moves all its axes")
        for k in range(a.type.ndim):
            n = self.length(a, k)
            by = self.atom(Value(f"({'-' if back else ''}int(idivide({n.text}, 2)))", INT, -self.longest, self.longest))
            call = ast.Call(node.func, [ast.copy_location(Evaluated(v), node) for v in (a, by, integer(k))], [])
            a = self.along_axis(ast.copy_location(call, node), numpy.roll)
        return a

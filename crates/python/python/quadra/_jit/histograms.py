"""`numpy.histogram`."""

from __future__ import annotations

import ast

import numpy

from . import scans
from .arrays import Array
from .types import Refused, Type
from .value import Value, integer


class Histograms:
    """Part of the translator."""

    def histogram(self, node, function):
        """`numpy.histogram(a, bins, range)`: the counts and the edges; `None` for others."""
        if function is not numpy.histogram:
            return None
        given = dict(zip(("a", "bins", "range"), node.args))
        for k in node.keywords:
            if k.arg not in ("a", "bins", "range") or k.arg in given:
                raise Refused(node, f"the argument '{k.arg}' of numpy.histogram is not in the subset", "it takes the array, bins and a range")
            given[k.arg] = k.value
        a = self.expression(given["a"]) if "a" in given else None
        if not isinstance(a, Array) or a.type.is_complex or a.type.name == "f4" or len(node.args) > 3:
            raise Refused(node, "numpy.histogram of an array of integers or doubles is in the subset", "convert it: x.astype(numpy.float64)")
        a = self.materialised(node, a if a.type.ndim == 1 else self.reshaped(node, a, [self.size(node, a)]))
        bins = self.expression(given["bins"]) if "bins" in given else integer(10)
        if isinstance(bins, Array):
            return self._with_edges(node, a, bins)
        if not isinstance(bins, Value) or not bins.type.is_int:
            raise Refused(node, "bins are an integer or an array of edges")
        bins = self.atom(self.narrow(bins, node))
        self.check(node, f"{bins.text} > 0", ValueError, "`bins` must be positive, when an integer")
        low, high = self._limits(node, a, given.get("range"))
        self.check(node, f"{low.text} <= {high.text}", ValueError, "max must be larger than min in range parameter.")
        edges = self.call_jitted_with(node, scans.equal_edges, [low, high, bins])[0]
        return [self.call_jitted_with(node, scans.histogram, [a, edges])[0], edges]

    def _limits(self, node, a: Array, given) -> list:
        """The range that the bins divide: what is given, or that of the elements."""
        if given is not None and not (isinstance(given, ast.Constant) and given.value is None):
            ends = self.expression(given)
            if not isinstance(ends, list) or len(ends) != 2 or not all(isinstance(v, Value) for v in ends):
                raise Refused(node, "a range of two numbers is needed")
        else:
            # Nothing has a range of its own.
            size = self.size(node, a)
            ends = [self.declared("scalar'double", Value(text, Type("f8"))) for text in ("0.0", "1.0")]
            self.emit(node, f"if {size.text} > 0")
            for v, name in zip(ends, ("min", "max")):
                found = self.coerce(node, self.as_int(self.reduced(node, name, a)), Type("f8"))
                self.emit(node, f"{v.text} = {found.text}")
            self.emit(node, "endif")
        ends = [self.atom(self.coerce(node, self.as_int(v), Type("f8"))) for v in ends]
        for v in ends:
            self.check(node, f"{v.text} - {v.text} == 0.0", ValueError, "the range is not finite")
        return ends

    def _with_edges(self, node, a: Array, bins: Array) -> list:
        if bins.type.ndim != 1 or bins.type.is_complex:
            raise Refused(node, "the edges of bins are an array of numbers with one dimension")
        bins = self.materialised(node, bins)
        return [self.call_jitted_with(node, scans.histogram_between, [a, bins])[0], bins]

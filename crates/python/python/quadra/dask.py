"""Programs on arrays of Dask: blocks on the workers of a cluster, each with as much around it as the function looks at.

A function is one of a program (`quadra.compile(…).smooth`) or a jitted one. It travels to the workers as its source, and each worker
compiles it once. How far around a position it looks is derived from its text: see :func:`depth`.
"""

from __future__ import annotations

import hashlib
import threading

import numpy

from . import Error, Program, _Session
from ._jit import Jitted
from ._quadra import Function

__all__ = ["Kernel", "compiled", "depth", "map_blocks", "map_overlap", "read_tiffs", "reduction"]

_PROGRAMS: dict[str, Program] = {}
_LOCK = threading.Lock()


def compiled() -> int:
    """How many programs this process has compiled for blocks."""
    return len(_PROGRAMS)


class Kernel:
    """A function as it travels: its program's text. It is compiled where it is first called."""

    def __init__(self, function):
        self.jitted = function if isinstance(function, Jitted) else None
        if isinstance(function, Function):
            program = function.program
            self.file, self.text, self.options = program._name, program._text, program._options
            self.name = function.__name__
            content = repr((self.text, sorted(self.options.items(), key=str)))
            self.hash = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
        elif self.jitted is not None:
            self.name = function.__name__
            self.hash = hashlib.sha256(function._text.encode()).hexdigest()
        else:
            raise TypeError("a function of a program or a jitted function is needed, so that its source can travel")

    def __call__(self, *args):
        args = [numpy.ascontiguousarray(a) if isinstance(a, numpy.ndarray) else a for a in args]
        if self.jitted is not None:
            return self.jitted(*args)
        with _LOCK:
            program = _PROGRAMS.get(self.hash)
            if program is None:
                program = _PROGRAMS[self.hash] = Program(self.file, self.text, self.options)
        return getattr(program, self.name)(*args)

    def __dask_tokenize__(self):
        return self.name, self.hash

    def axes(self, args) -> dict[int, tuple[int, int, bool]]:
        """By axis: least and greatest distance that the function looks at, and whether it may look at anything along it."""
        kinds = []
        for a in args:
            if _is_dask(a):
                kinds.append(("array", a.ndim))
            elif isinstance(a, numpy.ndarray):
                kinds.append(("table", 0))
            elif isinstance(a, (int, numpy.integer)) and not isinstance(a, bool):
                kinds.append(("int", int(a)))
            else:
                kinds.append(("other", 0))
        if self.jitted is None:
            found = _Session(**{**self.options, "device": "host"}).around(self.file, self.text, self.name, kinds)
        else:
            examples = [numpy.zeros((1,)*a.ndim, a.dtype) if _is_dask(a) else a for a in args]
            program, _, _ = self.jitted._for(examples, {})
            try:
                found = _Session("host", double=True).around(self.jitted.file, program.text, program.name, kinds)
            except Error as e:
                raise self.jitted._translated(e, program) from None
        return {axis: (low, high, whole) for axis, low, high, whole in found}


def _is_dask(a) -> bool:
    return hasattr(a, "__dask_graph__") and hasattr(a, "chunks")


def _blocks(args):
    """The arrays of Dask among the arguments, with the same chunks, and all arguments with them."""
    import dask.array as da

    arrays = [a for a in args if _is_dask(a)]
    if not arrays:
        raise TypeError("no argument is an array of Dask")
    if any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("arrays of Dask with different shapes")
    if len(arrays) > 1:
        axes = tuple(range(arrays[0].ndim))
        _, arrays = da.core.unify_chunks(*(x for a in arrays for x in (a, axes)))
    rest = iter(arrays)
    return arrays, [next(rest) if _is_dask(a) else a for a in args]


class _Call:
    """The kernel for blocks, with the other arguments in their places."""

    def __init__(self, kernel: Kernel, args, like: bool):
        self.kernel, self.like = kernel, like
        # Dask names the tasks by it: in the dashboard, and where it finds that two results are the same.
        self.__name__ = kernel.name
        self.rest = [None if _is_dask(a) else (a,) for a in args]

    def __call__(self, *blocks):
        blocks = iter(blocks)
        first = None
        args = []
        for fixed in self.rest:
            a = next(blocks) if fixed is None else fixed[0]
            first = a if fixed is None and first is None else first
            args.append(a)
        result = self.kernel(*args)
        if self.like and (not isinstance(result, numpy.ndarray) or result.shape != first.shape):
            shape = getattr(result, "shape", "a number")
            raise ValueError(f"'{self.kernel.name}' gives {shape} for a block of {first.shape}, which must keep its shape")
        return result

    def __dask_tokenize__(self):
        return self.kernel.__dask_tokenize__(), self.rest, self.like


class _Inner:
    """The call for blocks with what lies around them, which is cut off again. One task does both, so that Dask shows it by the function's
    name; trimming in a task of its own takes the name away when both are fused."""

    def __init__(self, call: _Call, around, wide):
        self.call, self.__name__ = call, call.__name__
        self.around = [around.get(axis, (0, 0)) for axis in range(len(wide))]
        self.numbers = [len(sizes) for sizes in wide]
        cuts = ([self.cut(axis, k) for k in range(n)] for axis, n in enumerate(self.numbers))
        self.chunks = tuple(tuple(n - sum(cut) for n, cut in zip(*both)) for both in zip(wide, cuts))

    def cut(self, axis, k):
        """What belongs to the neighbours of the block with that number: the array's own border has none."""
        before, behind = self.around[axis]
        return before if k else 0, behind if k < self.numbers[axis] - 1 else 0

    def __call__(self, *blocks, block_id=None):
        result = self.call(*blocks)
        cuts = [self.cut(axis, k) for axis, k in enumerate(block_id)]
        return result[tuple(slice(before, n - behind) for (before, behind), n in zip(cuts, result.shape))]

    def __dask_tokenize__(self):
        return self.call.__dask_tokenize__(), self.around, self.chunks


def depth(function, *args) -> dict[int, tuple[int, int]]:
    """How many elements before and behind a block the function needs, by axis, to give what it gives for the whole.

    It is derived from the text: how far from a position indices lie, through local arrays and calls of other functions, and how close
    to the border conditions tell positions apart. ``args`` are the arguments of the call: integers among them bound windows.
    What cannot be derived is an error that names the place; along an axis that the function may look at as a whole, the array must have a
    single chunk.
    """
    kernel = function if isinstance(function, Kernel) else Kernel(function)
    arrays, args = _blocks(args)
    found = {}
    for axis in range(arrays[0].ndim):
        low, high, whole = kernel.axes(args).get(axis, (0, 0, False))
        if whole:
            if arrays[0].numblocks[axis] > 1:
                raise ValueError(f"'{kernel.name}' may look at everything along axis {axis}: rechunk it to one block there")
            low = high = 0
        found[axis] = (max(-low, 0), max(high, 0))
    return found


def _dtype(call: _Call, arrays, around) -> numpy.dtype:
    """The type of elements of a result: that of a small block."""
    shape = tuple(
        min(n, sum(around.get(k, (0, 0))) + 2) if arrays[0].numblocks[k] > 1 else min(n, max(4, sum(around.get(k, (0, 0))) + 2))
        for k, n in enumerate(arrays[0].shape)
    )
    return numpy.asarray(call(*(numpy.zeros(shape, a.dtype) for a in arrays))).dtype


def map_overlap(function, *args, depth=None, dtype=None):
    """The function on whole arrays, computed block by block.

    Blocks get so much around them as :func:`depth` finds, or as ``depth`` says (before and behind, by axis). At the border of the array
    the function meets its own border: what it does there it does here. The result has the shape of the arrays; other arguments
    go to every block.
    """
    import dask.array as da

    kernel = Kernel(function)
    arrays, args = _blocks(args)
    around = globals()["depth"](kernel, *args) if depth is None else {k: v if isinstance(v, tuple) else (v, v) for k, v in depth.items()}
    call = _Call(kernel, args, True)
    dtype = dtype or _dtype(call, arrays, around)
    if not any(sum(v) for v in around.values()):
        return da.map_blocks(call, *arrays, dtype=dtype, meta=numpy.zeros((0,)*arrays[0].ndim, dtype))
    wide = [da.overlap.overlap(a, dict(around), "none") for a in arrays]
    inner = _Inner(call, around, wide[0].chunks)
    return da.map_blocks(inner, *wide, dtype=dtype, chunks=inner.chunks, meta=numpy.zeros((0,)*arrays[0].ndim, dtype))


def map_blocks(function, *args, dtype=None):
    """The function on each block alone."""
    import dask.array as da

    arrays, args = _blocks(args)
    call = _Call(Kernel(function), args, True)
    dtype = dtype or _dtype(call, arrays, {})
    return da.map_blocks(call, *arrays, dtype=dtype, meta=numpy.zeros((0,)*arrays[0].ndim, dtype))


class _Single:
    """A call that gives a number, as a block of one element."""

    def __init__(self, call: _Call, dtype):
        self.call, self.dtype, self.__name__ = call, dtype, call.__name__

    def __call__(self, *blocks):
        return numpy.asarray(self.call(*blocks), self.dtype).reshape((1,)*blocks[0].ndim)

    def __dask_tokenize__(self):
        return self.call.__dask_tokenize__(), str(self.dtype)


def reduction(function, *args, combine: str = "sum", dtype=None):
    """The numbers that the function gives for the blocks, combined: ``sum``, ``prod``, ``min``, ``max``, ``mean``, ``any`` or ``all``."""
    import dask.array as da

    if combine not in ("sum", "prod", "min", "max", "mean", "any", "all"):
        raise ValueError(f"numbers of blocks are not combined by '{combine}'")
    arrays, args = _blocks(args)
    call = _Call(Kernel(function), args, False)
    dtype = dtype or _dtype(call, arrays, {})
    single = _Single(call, dtype)
    chunks = tuple((1,)*n for n in arrays[0].numblocks)
    numbers = da.map_blocks(single, *arrays, dtype=dtype, chunks=chunks, meta=numpy.zeros((0,)*arrays[0].ndim, dtype))
    return getattr(numbers, combine)()


def read_tiffs(paths):
    """Images of TIFF files as one array, a chunk for each file: `paths` are files, or a pattern like ``"stack/*.tif"``."""
    import glob

    import dask
    import dask.array as da
    import tifffile

    files = sorted(glob.glob(paths)) if isinstance(paths, str) else [str(p) for p in paths]
    if not files:
        raise FileNotFoundError(f"no file is called {paths}")
    with tifffile.TiffFile(files[0]) as first:
        shape, dtype = first.series[0].shape, first.series[0].dtype
    read = dask.delayed(tifffile.imread, pure=True)
    return da.stack([da.from_delayed(read(file), shape, dtype) for file in files])

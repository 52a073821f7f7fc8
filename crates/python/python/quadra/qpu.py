"""Programs for the QPUs of a Raspberry Pi 0 to 3 in Python: a function with a call for each instruction, run on the emulator or a Pi.

>>> import numpy
>>> from quadra import qpu
>>> @qpu.program
... def lanes():
...     shl(r2, elem_num, 2)
...     setup_vpm_write()
...     add(vpm, r2, unif)
...     setup_dma_store()
...     start_dma_store(unif)
...     wait_dma_store()
...     exit()
>>> with qpu.Driver() as driver:
...     out = driver.alloc(16, numpy.int32)
...     run = driver.execute(lanes, [100, out])
...     out[:4].tolist()
[100, 104, 108, 112]

Instructions, registers and helpers are known inside of the function. Arguments that are Python's (loops, numbers) are computed while the
program is made, so that a `for` of Python writes instructions several times. The text of the assembler serves as well:
``qpu.assemble(text)``.
"""

from __future__ import annotations

import inspect
import struct
import sys
import types
from dataclasses import dataclass, field

import numpy

from . import _quadra
from ._quadra import Error

__all__ = ["Array", "Driver", "Line", "Program", "Register", "Run", "assemble", "disassemble", "names", "program"]


class Register:
    """A register: `r0 >> 3` is rotated by three lanes, `ra1.part("16a")` a part of it."""

    def __init__(self, text: str):
        self.text = text

    def part(self, name: str) -> Register:
        """A half or a byte of each lane: 16a, 16b, 8a to 8d, 8abcd and others of the assembler."""
        return Register(f"{self.text}.{name}")

    def __rshift__(self, lanes) -> Register:
        return Register(f"{self.text} >> {_operand(lanes)}")

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def _operand(v) -> str:
    """The text of an operand."""
    if isinstance(v, (Register, str)):
        return str(v)
    if isinstance(v, (bool, numpy.bool_)):
        return str(int(v))
    if isinstance(v, (int, numpy.integer)):
        return str(int(v))
    if isinstance(v, (float, numpy.floating)):
        text = repr(float(v))
        return text if any(c in text for c in ".en") else text + ".0"
    raise TypeError(f"an operand is a register, a number or a text of the assembler, not a {type(v).__name__}")


@dataclass
class _Row:
    text: str
    file: str
    line: int


class Instruction:
    """An instruction that was just written; a call on it joins another operation or a signal: `add(r0, r1, r2).fmul(r3, r1, r2)`."""

    def __init__(self, row: _Row):
        self._row = row

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        spelled = _SPELLED.get(name, name)
        if spelled not in OPERATIONS and spelled not in SIGNALS:
            raise AttributeError(f"there is no operation '{name}' of the QPU")

        def join(*operands, cond=None, setf=False) -> Instruction:
            self._row.text += "; " + _text(spelled, operands, cond, setf)
            return self

        return join


#: Operations that are words of Python.
_SPELLED = {"and_": "and", "or_": "or", "not_": "not", "bitand": "and", "bitor": "or", "bitxor": "xor"}
OPERATIONS = (
    "fadd fsub fmin fmax fminabs fmaxabs ftoi itof add sub shr asr ror shl min max and or xor not clz v8adds v8subs fmul mul24 v8muld "
    "v8min v8max mov ldi nop read bra brr srel sacq"
).split()
SIGNALS = "ldtmu0 ldtmu1 thrend thrsw lthrsw ldcv ldc bkpt sbwait sbdone".split()


def _text(name: str, operands, cond, setf) -> str:
    text = name + (".setf" if setf else "") + (f".{cond}" if cond else "")
    return text + (" " + ", ".join(map(_operand, operands)) if operands else "")


#: The program that is being written, innermost last.
_writing: list[list[_Row]] = []


def _write(text: str) -> Instruction:
    if not _writing:
        raise Error("\nerror: an instruction outside of a program\n  = help: decorate the function with qpu.program\n")
    frame = sys._getframe(1)
    while frame.f_globals is globals() or frame.f_code.co_filename == __file__:
        frame = frame.f_back
    row = _Row(text, frame.f_code.co_filename, frame.f_lineno)
    _writing[-1].append(row)
    return Instruction(row)


def _instruction(name: str):
    def write(*operands, cond: str | None = None, setf: bool = False, sig: str | None = None) -> Instruction:
        if name in ("bra", "brr") and len(operands) == 1:
            operands = ("-", f"r:{operands[0]}" if name == "brr" and isinstance(operands[0], str) else operands[0])
        return _write(_text(name, operands, cond, setf) + (f"; {sig}" if sig else ""))

    write.__name__ = name
    write.__doc__ = f"Writes `{name}`: operands, `cond` (for example ifz, ifnn, anynz), `setf`, and `sig`, a signal besides."
    return write


def label(name: str) -> None:
    """A place that branches go to by its name."""
    _write(f":{name}")


def write(text: str) -> None:
    """A line of the assembler as it is."""
    _write(text)


def setup_vpm_write(y=0, x=0, mode: str = "h32", stride: int = 1) -> Instruction:
    """Vectors written to `vpm` go to row `y` and those behind it (`h32`), or to columns (`v32` with `y` and `x`)."""
    return _write(f"mov vw_setup, vpm_setup(0, {stride}, {_cell(mode, y, x)})")


def setup_vpm_read(n: int, y=0, x=0, mode: str = "h32", stride: int = 1) -> Instruction:
    """The next `n` vectors read from `vpm` are rows from `y` on, or columns."""
    return _write(f"mov vr_setup, vpm_setup({n}, {stride}, {_cell(mode, y, x)})")


def _cell(mode: str, y, x) -> str:
    return f"{mode}({y})" if mode == "h32" else f"{mode}({y}, {x})"


def setup_dma_store(rows: int = 1, columns: int = 16, y=0, x=0, gap: int = 0) -> Instruction:
    """The next store takes rows of the VPM from `y`, `x` on, which lie `gap` bytes apart in memory."""
    _write(f"mov vw_setup, vdw_setup_1({gap})")
    return _write(f"mov vw_setup, vdw_setup_0({rows}, {columns}, dma_h32({y}, {x}))")


def start_dma_store(address) -> Instruction:
    """Starts the store to an address."""
    return _write(f"mov vw_addr, {_operand(address)}")


def wait_dma_store() -> Instruction:
    return _write("read vw_wait")


def setup_dma_load(rows: int = 1, columns: int = 16, y=0, x=0, pitch: int = 64) -> Instruction:
    """The next load fills rows of the VPM from `y`, `x` on with rows that begin `pitch` bytes apart in memory."""
    _write(f"mov vr_setup, vdr_setup_1({pitch})")
    return _write(f"mov vr_setup, vdr_setup_0(0, {columns}, {rows}, vdr_h32(1, {y}, {x}))")


def start_dma_load(address) -> Instruction:
    """Starts the load from an address."""
    return _write(f"mov vr_addr, {_operand(address)}")


def wait_dma_load() -> Instruction:
    return _write("read vr_wait")


def exit(interrupt: bool = True) -> None:
    """Ends the program, after an interrupt for the host."""
    if interrupt:
        _write("mov irq, 1")
    for text in ("thrend", "nop", "nop"):
        _write(text)


def _names() -> dict:
    plain = "unif elem_num qpu_num vpm vr_setup vw_setup vr_addr vw_addr vr_wait vw_wait mutex irq recip recipsqrt exp log r5rep r5quad".split()
    plain += [f"t{n}{c}" for n in (0, 1) for c in "strb"] + [f"r{n}" for n in range(6)]
    plain += [f"r{f}{n}" for f in "ab" for n in range(32)]
    found = {name: Register(name) for name in plain}
    # As other assemblers of Python call them.
    others = {"uniform": "unif", "element_number": "elem_num", "qpu_number": "qpu_num", "null": "-", "broadcast": "r5rep",
              "sfu_recip": "recip", "sfu_recipsqrt": "recipsqrt", "sfu_exp2": "exp", "sfu_log2": "log"}
    others |= {f"tmu{n}_{c}": f"t{n}{c}" for n in (0, 1) for c in "strb"}
    found |= {name: Register(text) for name, text in others.items()}
    python = {text: name for name, text in _SPELLED.items() if name.endswith("_")}
    for name in [*OPERATIONS, *SIGNALS]:
        # `min` and `max` stay those of Python: numbers are computed with them.
        found[{"min": "imin", "max": "imax", **python}.get(name, name)] = _instruction(name)
    for function in (label, write, setup_vpm_write, setup_vpm_read, setup_dma_store, start_dma_store, wait_dma_store, setup_dma_load,
                     start_dma_load, wait_dma_load, exit):
        found[function.__name__] = function
    return found


#: What a program's function knows: instructions (`imin` and `imax` for the operations `min` and `max`), registers, helpers.
names = _names()


class Program:
    """A program of QPUs: its words, and where each comes from."""

    def __init__(self, name: str, words, places, warnings):
        self.name = name
        self.words = numpy.array(words, numpy.uint64)
        #: File and line of each word.
        self.places = places
        self.warnings = warnings

    def __len__(self) -> int:
        return len(self.words)

    def disassemble(self) -> str:
        """The words as text that assembles to them."""
        return disassemble(self.words)

    def __repr__(self) -> str:
        return f"<program {self.name}: {len(self)} instructions>"


def _at(error: Error, rows: list[_Row]) -> Error:
    """An error of the text at the line of Python that wrote it."""
    line = getattr(error, "line", None)
    if line is None or not 2 <= line <= len(rows) + 1:
        return error
    row = rows[line - 2]
    text = f"\nerror[{error.code}]: {error.message}\n --> {row.file}:{row.line}\n  |\n{row.line} | {row.text}\n  |\n"
    text += "".join(f"  = {kind}: {t}\n" for kind, all in (("note", error.notes), ("help", error.help)) for t in all)
    found = Error(text)
    found.code, found.message, found.file, found.line, found.column = error.code, error.message, row.file, row.line, None
    found.notes, found.help = error.notes, error.help
    return found


def program(function=None, *, strict: bool = False):
    """Makes a program of a function without arguments that writes its instructions; with `strict`, broken rules of the hardware
    are errors. A function with parameters gives one that makes a program for arguments."""
    if function is None:
        return lambda f: program(f, strict=strict)

    def make(*args, **named) -> Program:
        known = {**names, **{k: v for k, v in function.__globals__.items() if k not in names or k == "__builtins__"}}
        inner = types.FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
        inner.__kwdefaults__ = function.__kwdefaults__
        rows: list[_Row] = []
        _writing.append(rows)
        try:
            inner(*args, **named)
        finally:
            _writing.pop()
        text = ".include <vc4.qinc>\n" + "".join(row.text + "\n" for row in rows)
        try:
            words, lines, warnings = _quadra.assemble(function.__name__, text, strict)
        except Error as e:
            raise _at(e, rows) from None
        places = [(rows[n - 2].file, rows[n - 2].line) if n is not None and 2 <= n <= len(rows) + 1 else None for n in lines]
        return Program(function.__name__, words, places, warnings)

    make.__name__, make.__doc__ = function.__name__, function.__doc__
    return make if inspect.signature(function).parameters else make()


def assemble(text: str, name: str = "program.qasm", *, strict: bool = False) -> Program:
    """A program of a text of the assembler."""
    words, lines, warnings = _quadra.assemble(name, text, strict)
    return Program(name, words, [None if n is None else (name, n) for n in lines], warnings)


def disassemble(words) -> str:
    """Words as text that assembles to them, a line for each."""
    return "\n".join(_quadra.disassemble([int(w) for w in words])) + "\n"


class Array(numpy.ndarray):
    """An array in memory that QPUs see: at the start of a run they get its elements, at the end it has theirs."""

    #: Where QPUs see its first byte.
    address: int


@dataclass(frozen=True)
class Line:
    """What an instruction cost, by the timing model."""

    file: str | None
    line: int | None
    text: str
    executions: int
    clocks: int
    #: Clocks waited, by what for.
    stalls: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """What a run did."""

    #: Instructions of each QPU; empty on a Pi.
    issued: list
    warnings: list
    #: Seconds: measured on a Pi, modelled on the emulator if a board was named.
    seconds: float | None = None
    clocks: int | None = None
    lines: list = field(default_factory=list)
    #: Shares of the time of all QPUs: issuing, and what they waited for.
    shares: dict = field(default_factory=dict)
    #: What would have to be faster, in words.
    limit: str = ""


def _word(v) -> int:
    """A uniform."""
    if isinstance(v, Array):
        return v.address
    if isinstance(v, (float, numpy.floating)):
        return struct.unpack("<I", struct.pack("<f", float(v)))[0]
    if isinstance(v, (int, numpy.integer)) and -(2**31) <= int(v) < 2**32:
        return int(v) & 0xFFFFFFFF
    raise TypeError(f"a uniform is an array of the driver, an integer of 32 bits or a float, not {v!r}")


class Driver:
    """Runs programs: on emulated QPUs, or with ``Driver("pi")`` on those of this Raspberry Pi."""

    CODE, FIRST = 0x1000, 0x200000

    def __init__(self, device: str = "emu"):
        if device not in ("emu", "pi"):
            raise ValueError("a driver's device is 'emu' or 'pi'")
        self.device = device
        self._board = _quadra.QpuBoard() if device == "pi" else None
        self._arrays: list = []
        self._next = self.FIRST

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Gives the memory back, and on a Pi the QPUs."""
        self._arrays = []
        if self._board is not None:
            self._board.close()
            self._board = None

    def alloc(self, shape, dtype=numpy.float32) -> Array:
        """An array of zeros in memory that QPUs see."""
        array = numpy.zeros(shape, dtype).view(Array)
        if array.dtype.itemsize * array.size % 4 or array.size == 0:
            raise ValueError("memory of QPUs comes in words of 4 bytes")
        if self._board is not None:
            region, array.address = self._board.allocate(array.nbytes)
        else:
            region, array.address = None, self._next
            # What lies between arrays is nobody's: accesses there are found.
            self._next += (array.nbytes + 0x3FFF) & ~0xFFF
            if self._next >= 0x40000000:
                raise MemoryError("a Raspberry Pi has no more memory for its GPU")
        self._arrays.append((array, region))
        return array

    def copy(self, values) -> Array:
        """A copy of an array, in memory that QPUs see."""
        values = numpy.ascontiguousarray(values)
        array = self.alloc(values.shape, values.dtype)
        array[...] = values
        return array

    def execute(self, program: Program, uniforms=(), qpus: int | None = None, *, board: str | None = None, strict: bool = False,
                timeout: float = 10.0) -> Run:
        """Runs a program to its end.

        ``uniforms`` are what it reads one after another: arrays of this driver, integers, floats. A list of lists has those of each
        QPU; otherwise ``qpus`` many get the same. On the emulator ``board`` (``"zero"``, ``"1"``, ``"2"``, ``"3"``) models the time and
        counts every line.
        """
        uniforms = list(uniforms)
        several = bool(uniforms) and all(isinstance(u, (list, tuple)) for u in uniforms)
        streams = [[_word(v) for v in u] for u in uniforms] if several else [[_word(v) for v in uniforms]] * (qpus or 1)
        if several and qpus not in (None, len(streams)):
            raise ValueError("as many lists of uniforms as QPUs are needed")
        if not 1 <= len(streams) <= 12:
            raise ValueError("1 to 12 QPUs run a program")
        words = [b"".join(struct.pack("<I", w) for w in [*stream, 0]) for stream in streams]
        if self._board is not None:
            return self._on_board(program, words, timeout)
        place, pieces, starts = self._next, [], []
        for content in words:
            pieces.append((place, content, False))
            starts.append(place)
            place += 0x2000 + (len(content) & ~0xFFF)
        pieces += [(array.address, array.tobytes(), True) for array, _ in self._arrays]
        try:
            done = _quadra.emulate([int(w) for w in program.words], self.CODE, pieces, starts, board, strict)
        except Error as e:
            index = getattr(e, "index", None)
            if index is not None and index < len(program) and program.places[index]:
                e.file, e.line = program.places[index]
                e.args = (f"{e.args[0]}\n --> {e.file}:{e.line}\n",)
            raise
        for array, _ in self._arrays:
            array.reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(done["memory"][array.address], numpy.uint8)[:array.nbytes]
        return self._run(program, done)

    @staticmethod
    def _run(program: Program, done: dict) -> Run:
        texts = disassemble(program.words).splitlines()
        lines = [
            Line(*(place or (None, None)), text, executions, clocks, dict(stalls))
            for place, text, (executions, clocks, stalls) in zip(program.places, texts, done.get("lines", ()))
        ]
        return Run(done["issued"], done["warnings"], done.get("seconds"), done.get("clocks"), lines, dict(done.get("shares", ())), done.get("limit", ""))

    def _on_board(self, program: Program, uniforms: list, timeout: float) -> Run:
        board = self._board
        code, at = board.allocate(max(8*len(program), 8))
        board.write(code, program.words.astype("<u8").tobytes())
        starts, own = [], [code]
        for content in uniforms:
            region, address = board.allocate(len(content))
            own.append(region)
            board.write(region, content)
            starts.append((at, address))
        for array, region in self._arrays:
            board.write(region, array.tobytes())
        try:
            seconds = board.execute(starts, timeout)
        finally:
            for region in own:
                board.release(region)
        for array, region in self._arrays:
            array.reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(board.read(region, array.nbytes), numpy.uint8)
        return Run([], [], seconds)

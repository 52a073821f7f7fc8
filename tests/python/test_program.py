"""Programs from Python: values both ways, errors, threads, Ctrl-C, memory."""

import gc
import importlib
import os
import signal
import sys
import threading
import warnings

import numpy
import pytest

import quadra

# Where the tests run in the background of a script, Ctrl-C is ignored unless somebody asks for it.
signal.signal(signal.SIGINT, signal.default_int_handler)

PROGRAM = """import "inttypes.q"
kept = object()
kept.x = 0
function y = smooth(x)
    y = zeros(size(x))
    for i = 1..numel(x)-2
        y[i] = (x[i-1] + x[i] + x[i+1])/3
    endfor
endfunction
function [] = count(x)
    for i = 0..numel(x)-1
        x[i] = i
    endfor
endfunction
function [twice, name] = two(x)
    twice = x*2
    name = "two"
endfunction
function y = same(x)
    y = x
endfunction
function d = minus(a, b)
    d = a - b
endfunction
function total = sequence(n)
    total = 1
    for i = 1..n
        total = total*0.5 + i
    endfor
endfunction
function [] = keep(x)
    kept.x = x
endfunction
function [] = say(x)
    print "x = ", x
endfunction
function [] = forever()
    x = 0
    while x < 1
        x = x*1
    endwhile
endfunction
function o = object_of(x)
    o = object()
    o.half = x/2
    o.words = {"a", "b"}
endfunction
k = 3
"""


@pytest.fixture(scope="module")
def q():
    return quadra.compile(PROGRAM)


def test_results_are_arrays(q):
    x = numpy.random.default_rng(1).random(1000, numpy.float32)
    y = q.smooth(x)
    expected = numpy.zeros_like(x)
    expected[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / numpy.float32(3)
    assert y.dtype == numpy.float32 and y.shape == x.shape
    numpy.testing.assert_allclose(y, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 c8 c16".split())
def test_every_element_type_goes_both_ways_and_is_written_in_place(q, dtype):
    x = numpy.zeros((3, 5), dtype)
    assert q.same(x) is x
    v = numpy.zeros(7, dtype)
    q.count(v)
    assert v.dtype == dtype and v.tolist() == list(range(7))
    twice, _ = q.two(v)
    assert twice.tolist() == [2 * n for n in range(7)]
    # Integers of fixed widths are computed with as the language does.
    if dtype in ("f4", "f8", "i4", "c8", "c16"):
        assert twice.dtype == dtype


def test_truth_values(q):
    x = numpy.array([True, False])
    assert q.same(x) is x
    assert quadra.compile("function y = big(x)\ny = x > 2\nendfunction").big(numpy.arange(5.0)).dtype == bool


def test_what_has_another_layout_is_written_back(q):
    columns = numpy.full((4, 6), -1.0, numpy.float32)
    q.count(columns[:, ::2])
    assert columns[:, ::2].ravel().tolist() == list(range(12)) and (columns[:, 1::2] == -1).all()
    swapped = numpy.zeros(3, ">f4")
    q.count(swapped)
    assert swapped.tolist() == [0, 1, 2]
    fixed = numpy.zeros(3)
    fixed.flags.writeable = False
    q.count(fixed)
    assert fixed.tolist() == [0, 0, 0]


def test_overlapping_arrays(q):
    x = numpy.arange(6.0)
    assert q.minus(x, x).tolist() == [0] * 6
    assert q.minus(x[1:], x[:-1]).tolist() == [1] * 5


def test_empty_arrays(q):
    assert q.same(numpy.zeros(0)).shape == (0,)
    assert q.two(numpy.zeros((0, 3), numpy.float32))[0].size == 0


def test_what_a_program_keeps_is_its_own(q):
    x = numpy.arange(4.0)
    q.keep(x)
    x[:] = -1
    del x
    gc.collect()
    assert q["kept"].x.tolist() == [0, 1, 2, 3]


def test_single_values(q):
    assert q.same(3) == 3 and q.same(2**40) == 2**40 and q.same(2**64 - 1) == 2**64 - 1
    assert q.same(0.5) == 0.5 and q.same(1 + 2j) == 1 + 2j and q.same("ä") == "ä" and q.same(True) == 1
    assert q.same(numpy.float32(0.5)) == 0.5 and q.same(None) is None
    assert q.same([1, "a", [2.0]])[:2] == [1, "a"]
    assert q.same([1, 2]).dtype == numpy.int32 and q.same([1.5]).dtype == numpy.float32
    assert q.same({"a": 1}).a == 1
    o = q.object_of(3)
    assert o.half == 1.5 and o.words == ["a", "b"] and q.same(o).half == 1.5
    with pytest.raises(quadra.Error, match="no counterpart"):
        q.same(object())
    with pytest.raises(quadra.Error, match="no counterpart"):
        q.same(numpy.array(["a"]))


def test_dlpack(q):
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **named):
            return self.array.__dlpack__(**named)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = numpy.zeros(3)
    q.count(Foreign(x))
    assert x.tolist() == [0, 1, 2]
    assert numpy.from_dlpack(q.two(x)[0]).tolist() == [0, 2, 4]


def test_names_and_several_values(q):
    assert q.minus(b=1, a=3) == 2 and q.minus(3, b=1) == 2
    with pytest.raises(quadra.Error, match="named arguments"):
        q.minus(b=1)
    assert q.two(2) == (4, "two")
    assert "smooth" in dir(q) and q.minus.parameters == ["a", "b"] and q.count.outputs == 0
    assert q.count(numpy.zeros(2)) is None
    with pytest.raises(AttributeError, match="nothing_here"):
        q.nothing_here


def test_variables(q):
    assert q["k"] == 3
    q["k"] = numpy.eye(2)
    assert q["k"].tolist() == [[1, 0], [0, 1]]
    with pytest.raises(KeyError):
        q["missing"]


def test_errors_are_diagnostics(q):
    with pytest.raises(quadra.Error) as found:
        quadra.compile("x = 1\ny = x +\n", name="wrong.q")
    e = found.value
    assert (e.code, e.file, e.line) == ("Q0110", "wrong.q", 2) and e.help
    assert "wrong.q:2:8" in str(e) and "y = x +" in str(e)
    with pytest.raises(quadra.Error, match="Q0309"):
        q.same(1, 2)
    with pytest.raises(quadra.Error, match="Q0525"):
        quadra.compile("x = 1", device="toaster")
    assert q.same(1) == 1
    with pytest.raises(quadra.Error):
        quadra.compile("x = " + "(" * 100_000)


def test_verdicts(q):
    parallel, count, serial, *_ = q.verdicts()
    assert parallel.line == 6 and parallel.parallel and "parallel over (i)" in parallel.text
    assert count.parallel and not serial.parallel and serial.text


def test_what_is_printed(q, capsys):
    q.say(3)
    assert capsys.readouterr().out == "x = 3\n"


def test_profile_and_emulation():
    q = quadra.compile(PROGRAM, device="emu", profile=True)
    x = numpy.random.default_rng(2).random(512).astype(numpy.float32)
    y = q.smooth(x)
    kernel = q.profile()["kernels"][0]
    assert kernel["launches"] == 1 and kernel["line"] == 6 and kernel["modelled_seconds"] > 0
    e = q.emulate(q.smooth, x, qpus=1)
    assert e.launches == 1 and e.seconds > q.emulate("smooth", x).seconds
    numpy.testing.assert_array_equal(e.value, y)


def test_threads(q):
    results = []
    x = numpy.arange(100.0)

    def work():
        results.extend(float(q.minus(x, n)[0]) for n in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(results) == sorted([-float(n) for n in range(50)] * 4)


def test_the_lock_is_released(q):
    ended = threading.Event()
    threading.Timer(0.2, ended.set).start()
    timer = threading.Timer(0.4, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        q.forever()
    assert ended.is_set()


def test_ctrl_c_ends_programs_and_not_python(q):
    before = signal.getsignal(signal.SIGINT)
    for _ in range(3):
        threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            q.forever()
    assert q.same(2) == 2 and signal.getsignal(signal.SIGINT) is before


def test_warnings_are_pythons():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        quadra.compile('import "C:/elsewhere/other.q"\nx = 1')
    assert found and issubclass(found[0].category, quadra.Warning) and "other.q" in str(found[0].message)


def test_calls_leave_nothing_behind(q):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    small, strided = numpy.zeros(16, numpy.float32), numpy.zeros((4, 8))[:, ::2]

    # Two a turn: 100,000 in all.
    def calls(n):
        for _ in range(n):
            q.two(small)
            q.same(small)
        for _ in range(n // 50):
            q.two(strided)
            with pytest.raises(quadra.Error):
                q.same(object())

    calls(2000)
    references, before = sys.getrefcount(small), resident()
    calls(50_000)
    assert sys.getrefcount(small) == references
    assert resident() - before < 16 << 20


def test_stubs_name_what_the_module_has():
    import ast
    from pathlib import Path

    from quadra import _quadra

    stub = Path(_quadra.__file__).with_name("_quadra.pyi").read_text()
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    assert hasattr(getattr(_quadra, node.name), item.name), (node.name, item.name)
        elif isinstance(node, ast.FunctionDef):
            assert hasattr(_quadra, node.name)
    public = {n for n in vars(_quadra) if not n.startswith("__")}
    assert public <= {getattr(n, "name", None) for n in ast.parse(stub).body}


def test_files_and_imports(tmp_path, monkeypatch):
    (tmp_path / "filters_of_test.q").write_text("half = 0.5\nfunction y = halve(x)\n  y = x/2\nendfunction\n")
    assert quadra.compile(tmp_path / "filters_of_test.q").halve(4) == 2
    assert quadra.compile(str(tmp_path / "filters_of_test.q")).halve(4) == 2
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("quadra.importer")
    filters_of_test = importlib.import_module("filters_of_test")

    assert filters_of_test.halve(3.0) == 1.5 and filters_of_test.half == 0.5
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("filters_that_nobody_wrote")


@pytest.mark.parametrize("library", ["llvmlite", ""])
def test_code_is_made_with_what_pip_installs(library, tmp_path):
    """In a process that finds no libLLVM but that of llvmlite, and in one that takes what it finds: no loop is interpreted."""
    import subprocess

    pytest.importorskip("llvmlite")
    text = """
import numpy, quadra, warnings
warnings.simplefilter("error")
q = quadra.compile('''
function y = f(x)
    y = zeros(size(x))
    for i = 0..numel(x)-1
        y[i] = exp(-x[i]) + (x[i] > 2 ? 1 : sqrt(x[i]))
    endfor
endfunction
''', device="cpu", profile=True)
x = numpy.linspace(0, 4, 5000)
assert numpy.allclose(q.f(x), numpy.exp(-x) + numpy.where(x > 2, 1, numpy.sqrt(x)))
row, = q.profile()["kernels"]
assert row["launches"] == 1, row
print({d[0]: d[2] for d in quadra.devices()}["cpu"])
"""
    env = {**os.environ, "QUADRA_LLVM": library, "XDG_CACHE_HOME": str(tmp_path)}
    out = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True)
    assert (out.returncode, out.stdout.strip()) == (0, "None"), out.stderr


def test_what_shows_its_memory_is_an_array():
    import array

    q = quadra.compile("import \"inttypes.q\"\nfunction y = doubled(x)\n    y = 2*x\nendfunction\nfunction [] = raised(x)\n    for i = 0..numel(x)-1\n        x[i] += 1\n    endfor\nendfunction")
    assert q.doubled(memoryview(numpy.arange(3.0))).tolist() == [0.0, 2.0, 4.0]
    assert q.doubled(array.array("d", [1.0, 2.5])).tolist() == [2.0, 5.0]
    assert q.doubled(b"\x01\x02").tolist() == [2, 4]
    given = bytearray([1, 2])
    q.raised(given)
    assert given == bytearray([2, 3])


def test_changes_of_doubles_that_become_single_precision_are_seen():
    q = quadra.compile("function [] = mark(x : mat, k : int)\n    x[0,k] = 0.5*k\nendfunction\nfunction s = total(x : vec)\n    s = sum(x)\n    x[0] = s\nendfunction\n")
    third = numpy.full((2, 3), 1/3)
    q.mark(third, 1)
    assert third[0, 1] == 0.5
    # The others stay as they were, with all their digits.
    assert third[0, 0] == third[1, 2] == 1/3
    strided = numpy.full((4, 3), 1/3)[::2]
    q.mark(strided, 2)
    assert strided[0, 2] == 1.0 and strided[1, 2] == 1/3
    row = numpy.array([1.0, 2.0, 4.5])
    assert q.total(row) == 7.5 and row[0] == 7.5
    fixed = numpy.zeros((1, 2))
    fixed.flags.writeable = False
    q.mark(fixed, 1)
    assert fixed[0, 1] == 0


def test_results_stay_while_the_storage_of_others_is_used_again():
    program = quadra.compile("function y : vec = scaled(x : vec, k : scalar)\n    y = x*k\nendfunction")
    x = numpy.arange(100_000, dtype=numpy.float32)
    for part in (slice(None), slice(5, 90_000, 3), slice(None, None, -1)):
        kept = [program.scaled(x, k)[part] for k in range(1, 7)]
        for k in range(50):
            assert numpy.array_equal(program.scaled(x, k + 0.5), x * numpy.float32(k + 0.5))
        for k, y in enumerate(kept, 1):
            assert numpy.array_equal(y, x[part] * numpy.float32(k))
        kept[0][:] = 0  # The array is the caller's alone.
        assert numpy.array_equal(kept[1], x[part] * numpy.float32(2)) and not kept[0].any()

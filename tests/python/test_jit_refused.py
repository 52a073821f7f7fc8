"""`quadra.jit`: what it does not translate is said at the line, whatever it is; lists grow between launches of a kernel."""

import inspect
import linecache

import numpy as np
import pytest

import jitted_growing
import jitted_left
import quadra

#: Statements with a place for a value, and values that most of these do not take.
STATEMENTS = [
    "y = x + V", "x[0] = V", "x[1:] = V", "m[0, :] = V", "x[V] = 1.0", "y = x[V]", "y = m[V, 0]", "x += V", "y = -V", "y = not V", "y = V < n", "y = n in V",
    "y = V if n else n", "if V:\n        pass", "while V:\n        break", "for v in V:\n        pass", "for i, v in enumerate(V):\n        pass",
    "for a, b in zip(V, V):\n        pass", "y, z = V", "y = V[0]", "y = V[n]", "y = len(V)", "y = sum(V)", "y = max(V)", "y = min(V, n)", "y = np.dot(V, V)",
    "y = np.zeros(V)", "y = np.zeros_like(V)", "y = np.array([V, V])", "y = np.cumsum(V)", "y = np.roll(x, V)", "y = np.full(V, 1)", "L.append(V)", "L[0] = V",
    "y = V.sum()", "y = V.copy()", "y = x.reshape(V)", "y = x.sum(V)", "y = int(V)", "return V", "y = V ** 2", "y = round(V)", "y = np.percentile(x, V)",
    "y = np.searchsorted(x, V)", "y = np.fft.fft(x, V)", "y = np.fft.fftfreq(V)", "y = np.random.random(V)", "y = np.repeat(x, V)", "y = np.eye(V)",
    "y = x.std(ddof=V)", "y = (z := V)", "y: int = V", "x[V] += V", "y = x[None, V]", "y = x[..., V]", "y = [q for q in V]", "y = x.take(V)", "y = V.item()",
]
VALUES = ["[1.0, 2.0]", "(1.0, 2.0)", "None", "'t'", "[x, x]", "[]", "()", "((1, 2), (3, 4))", "[1]*n", "[i for i in range(n)]", "m", "n", "L", "T", "np", "range(n)", "{1: 2}", "1j", "[None]"]


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def made(name, statement):
    text = f"def {name}(x, m, n):\n    L = [1, 2]\n    T = (1, n)\n    {statement}\n    return n\n"
    file = f"/made/{name}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"np": np}
    exec(compile(text, file, "exec"), space)
    return space[name]


@pytest.mark.parametrize("k", range(len(STATEMENTS)), ids=lambda k: STATEMENTS[k].split("\n")[0])
def test_strange_values_are_refused_as_such(k):
    for number, value in enumerate(VALUES):
        function = quadra.jit(made(f"strange_{k}_{number}", STATEMENTS[k].replace("V", value)))
        try:
            function.text(np.array([1.0, 2.0, 3.0]), np.eye(3), 2)
        except quadra.Error as e:
            assert "is not translated" not in e.message, (value, e.message)
            assert e.line, value


def test_a_fault_of_the_translator_is_an_error_at_its_line(monkeypatch):
    from quadra._jit.translate import Translator

    monkeypatch.setattr(Translator, "_do_augassign", lambda self, node: node.nothing)
    function = quadra.jit(made("faulty", "y = 1\n    y += n"))
    with pytest.raises(TypeError, match="is not translated .*'nothing'") as found:
        function(np.zeros(3), np.eye(3), 2)
    assert isinstance(found.value, quadra.Error) and found.value.line == 5 and found.value.help


@pytest.mark.parametrize("name, args", [("two_lists", (1.0, 3000)), ("stack_and_text", (16,)), ("downward", (3000, -2))])
def test_lists_grow_between_launches(name, args):
    function = quadra.jit(getattr(jitted_growing, name), device="cpu", profile=True)
    assert function(*args) is not None
    _, program, _ = function._for(args, {})
    assert max(kernel["launches"] for kernel in program.profile()["kernels"]) > 1


def test_functions_that_a_return_leaves_in_a_loop_run_in_parallel():
    primes = quadra.jit(jitted_left.primes)
    assert [v.text for v in primes.verdicts(60) if v.line == line_of(jitted_left.primes, "for k in range(n)")] == ["parallel over (k)"]

"""`quadra.jit` against plain Python: values, types, errors at Python's lines."""

import cmath
import copy
import math
import warnings

import numpy as np
import pytest

import jitted
import jitted_apart
import jitted_appended
import jitted_complex
import jitted_counted
import jitted_edges
import jitted_growing
import jitted_left
import jitted_iterated
import jitted_more
import jitted_named
import jitted_numpy
import jitted_names
import jitted_parts
import jitted_wide
import jitted_windows
import jitted_recursive
import jitted_within
import quadra


def same(a, b):
    if isinstance(b, (tuple, list)):
        assert type(a) is type(b) and len(a) == len(b)
        for x, y in zip(a, b):
            same(x, y)
    elif isinstance(b, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-6 if b.dtype in (np.float32, np.complex64) else 1e-12, atol=1e-6 if b.dtype == np.complex64 else 1e-12)
    else:
        # Where ways differ, the number is NumPy's.
        assert type(a) is type(b) or type(a) is np.float64 and type(b) is float or type(a) is np.complex128 and type(b) is complex, (type(a), type(b))
        if isinstance(b, (complex, np.complexfloating)):
            np.testing.assert_allclose(a, b, rtol=2e-6 if isinstance(b, np.complex64) else 1e-12, atol=1e-12)
        elif isinstance(b, (float, np.floating)):
            assert a == pytest.approx(b, rel=2e-5 if isinstance(b, np.float32) else 1e-12, nan_ok=True)
        else:
            assert a == b


CASES = jitted.CASES + jitted_complex.CASES + jitted_more.CASES + jitted_edges.CASES + jitted_wide.CASES + jitted_numpy.CASES + jitted_parts.CASES + jitted_names.CASES + jitted_within.CASES + jitted_appended.CASES + jitted_recursive.CASES + jitted_iterated.CASES + jitted_counted.CASES + jitted_named.CASES + jitted_growing.CASES + jitted_windows.CASES + jitted_left.CASES + jitted_apart.CASES


@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda k: CASES[k][0].__name__ + str(k))
def test_functions_mean_what_they_mean_to_python(case):
    function, args = CASES[case]
    compiled = quadra.jit(function)
    plain, mine = copy.deepcopy(args), copy.deepcopy(args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            expected = function(*plain)
        except (IndexError, OverflowError, ValueError) as e:
            with pytest.raises(type(e)):
                compiled(*mine)
            return
    same(compiled(*mine), expected)
    # What is written to arguments is the same, too.
    for a, b in zip(mine, plain):
        same(a, b)


def line_of(function, text):
    import inspect

    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def refused(kind, function, *args, at, match=None):
    with pytest.raises(kind, match=match) as found:
        quadra.jit(function)(*args)
    assert isinstance(found.value, quadra.Error)
    assert found.value.line == line_of(function, at) and found.value.file == __file__
    assert at in str(found.value)


def not_always(x):
    return len(x) > 0 and (y := x[0]) > 0 and y < 3


def beyond(x):
    s = 0.0
    for i in range(len(x) + 1):
        s += x[i]
    return s


def beyond_in_parallel(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i + 2]*2.0
    return y


def divided(a, b):
    c = a + 1
    return c / b


def whole_divided(a, b):
    return a // b


def root(x):
    return math.sqrt(x)


def fits(x, v):
    x[1] = v


def sizes(x, y):
    return x + y


def test_what_python_raises_is_raised_at_its_line():
    x = np.zeros(4)
    refused(IndexError, beyond, x, at="s += x[i]")
    refused(IndexError, beyond_in_parallel, x, at="y[i] = x[i + 2]")
    refused(ZeroDivisionError, divided, 3, 0, at="return c / b")
    refused(ZeroDivisionError, divided, 3.5, 0.0, at="return c / b")
    refused(ZeroDivisionError, whole_divided, 3, 0, at="return a // b")
    refused(ValueError, root, -1.0, at="math.sqrt(x)")
    refused(OverflowError, fits, np.zeros(3, np.uint8), 300, at="x[1] = v")
    refused(ValueError, sizes, np.zeros(3), np.zeros(4), at="return x + y")
    assert math.isnan(quadra.jit(root)(math.nan))


def test_numpy_divides_by_zero():
    with np.errstate(all="ignore"):
        same(quadra.jit(divided)(np.float64(3), np.float64(0)), divided(np.float64(3), np.float64(0)))


def changing(x):
    s = 0
    for i in range(len(x)):
        s += x[i]
    t = 0.1
    t += x[0]
    return s, t


def maybe(x):
    if x > 0:
        y = 1
    return y


def view(x):
    r = x[1:]
    s = r[0]
    r = x[2:]
    r[0] = s
    return x


def widened(x):
    column = x[:, None]
    x[0] = 5.0
    return column


def turned_view(x):
    t = x.T
    x[0, 0] = 1.0
    return t


def followed(x):
    for v in x[1:]:
        x[2] = v
    return x


@quadra.jit
def first_set(r):
    again = r
    again[0] = 5.0


@quadra.jit
def passed_on(r):
    first_set(r)


def row_written(x):
    passed_on(x[1])
    return x


def recursive(n):
    return recursive_compiled(n - 1)


recursive_compiled = quadra.jit(recursive)


def text(x):
    return "a"


def words(x):
    return {"a": x}


def comprehension(x):
    return {v for v in x if v > 0}


def set_to_zero(x):
    x[:] = 0.0
    return 1.0


set_compiled = quadra.jit(set_to_zero)


def beside_a_write(x):
    return set_compiled(x) + sum(a for a in x if a > 0)


def second_name(n):
    a = [1]
    b = a
    return len(b)


def changed_in_loop(n):
    a = [1]
    for v in a:
        a.append(v)
    return len(a)


def lists_of_arrays(x):
    a = []
    a.append(x)
    return len(a)


def sometimes(n):
    if n > 0:
        def f(x):
            return x
    return f(n)


def as_value(x):
    f = lambda v: v + 1
    g = f
    return g(x)


def names_outside(n):
    t = 0

    def add(v):
        nonlocal t
        t += v

    add(n)
    return t


def outside_written(n):
    jitted_within.WEIGHTS[0] = n
    return n


def two_types(x):
    if x > 0:
        return 1
    return 2.5


def unknown(x):
    return np.linalg.det(x)


def other_norm(x):
    return np.linalg.norm(x, 1)


def parts(x):
    a, b = x
    return a


def test_what_cannot_be_kept_is_refused_at_its_line():
    refused(TypeError, not_always, np.ones(3), at="(y := x[0])", match="not always evaluated")
    refused(TypeError, changing, np.zeros(3, np.float32), at="t += x[0]", match="float32")
    refused(TypeError, maybe, 1, at="return y", match="may have no value")
    refused(TypeError, view, np.zeros(3), at="r = x[2:]", match="view")
    refused(TypeError, widened, np.zeros(3), at="column = x[:, None]", match="view")
    refused(TypeError, turned_view, np.zeros((3, 3)), at="t = x.T", match="view")
    refused(TypeError, followed, np.zeros(3), at="for v in x[1:]", match="writes to it")
    refused(TypeError, row_written, np.zeros((3, 3)), at="passed_on(x[1])", match="writes to a part")
    refused(RecursionError, recursive_compiled.function, 3, at="recursive_compiled(n - 1)", match="nested calls")
    refused(TypeError, text, 1, at='return "a"')
    refused(TypeError, words, 1, at="return {")
    refused(TypeError, comprehension, np.zeros(3), at="{v for v in x if")
    refused(TypeError, beside_a_write, np.ones(3), at="return set_compiled(x)", match="comprehension")
    refused(TypeError, second_name, 1, at="b = a", match="second name")
    refused(TypeError, changed_in_loop, 1, at="a.append(v)", match="changes it")
    refused(TypeError, lists_of_arrays, np.zeros(2), at="a.append(x)", match="lists hold numbers")
    refused(TypeError, sometimes, 1, at="def f(x)", match="in some cases")
    refused(TypeError, as_value, 1, at="g = f", match="as a value")
    refused(TypeError, names_outside, 1, at="nonlocal t", match="outside")
    refused(TypeError, outside_written, 1, at="jitted_within.WEIGHTS[0] = n", match="from outside")
    refused(TypeError, two_types, 1, at="return 2.5", match="the result is")
    refused(TypeError, unknown, np.zeros(3), at="np.linalg.det", match="not in the subset")
    refused(TypeError, other_norm, np.zeros(3), at="np.linalg.norm", match="other kinds")
    refused(ValueError, parts, np.zeros(3), at="a, b = x", match="2 names")
    refused(TypeError, parts, np.zeros((2, 2)), at="a, b = x", match="several dimensions")
    x = np.zeros(4)
    with pytest.raises(ValueError, match="share elements"):
        quadra.jit(jitted.saxpy)(2.0, x[1:], x[:-1])
    # Who only reads may be given the same elements twice.
    assert quadra.jit(jitted_wide.distance)(x[1:], x[:-1]) == 0.0
    with pytest.raises(TypeError, match="math.sqrt' of a complex number"):
        quadra.jit(root)(1j)
    with pytest.raises(TypeError, match="datetime64"):
        quadra.jit(root)(np.zeros(3, "datetime64[s]"))


def ordered(z):
    return z < 1


def greatest(z):
    return max(z, 1j)


def greatest_of(z):
    return z.max()


def stored_real(z):
    x = np.zeros(3)
    x[0] = z
    return x


def made_real(z):
    return float(z)


def whole_of(z):
    return z // 2


def bits_of(z):
    return z & 1


def index_of(x, z):
    return x[z]


def zero_divides(z, w):
    return z / w


def logarithm(z):
    return cmath.log(z)


def becomes(n):
    s = 0
    for i in range(n):
        s = s + 1j
    return s


def test_complex_numbers_are_no_real_ones():
    refused(TypeError, ordered, 1j, at="z < 1", match="no order")
    refused(TypeError, greatest, 1j, at="max(z", match="no order")
    refused(TypeError, greatest_of, np.array([1j]), at="z.max()", match="no order")
    refused(TypeError, stored_real, 1j, at="x[0] = z", match="z.real")
    refused(TypeError, made_real, 1j, at="float(z)", match="real")
    refused(TypeError, whole_of, 1j, at="z // 2", match="whole quotients")
    refused(TypeError, bits_of, 1j, at="z & 1", match="bits")
    refused(TypeError, index_of, np.zeros(3), 1j, at="x[z]")
    refused(ZeroDivisionError, zero_divides, 1j, 0j, at="z / w")
    refused(ValueError, logarithm, 0j, at="cmath.log")
    assert quadra.jit(becomes)(3) == 3j
    assert np.isnan(quadra.jit(zero_divides)(np.complex128(0), np.complex128(0)))


def test_verdicts_stand_at_pythons_lines():
    function = quadra.jit(jitted.stencil)
    first, *_ = function.verdicts(np.zeros((4, 4)))
    assert first.parallel and first.text == "parallel over (i, j)" and first.line == line_of(jitted.stencil, "for i in")
    serial, *_ = quadra.jit(jitted.running).verdicts(np.zeros(4))
    assert serial.line == line_of(jitted.running, "for i in") and serial.file == jitted.__file__
    assert "function [" in function.text(np.zeros((4, 4)))


@quadra.jit
def half_of(x):
    return x/2


@quadra.jit
def halves(x, n):
    y = np.empty(n)
    for i in range(n):
        y[i] = half_of(x[i % len(x)])
    return y, n


@quadra.jit
def calls(x):
    y, n = halves(x, 5)
    for i in range(n):
        y[i] += half_of(i)
    return y


def pairs(a, b):
    out = np.zeros_like(a)
    more = np.zeros((3, 4))
    for i, v in enumerate(a):
        out[i] = 2.0*v
    for k, x in np.ndindex(more.shape):
        more[k, x] = x*b[k]
    return out, more


def test_loops_over_pairs_are_examined_by_their_names():
    found = quadra.jit(pairs).verdicts(np.zeros(12), np.zeros(3))
    assert [v.text for v in found] == ["parallel over (i)", "parallel over (k, x)"]
    assert [v.line for v in found] == [line_of(pairs, "enumerate"), line_of(pairs, "ndindex")]


def test_jitted_functions_call_each_other():
    x = np.arange(3.0)
    assert calls(x).tolist() == [0.0, 1.0, 2.0, 1.5, 2.5]
    assert half_of(7) == 3.5 and half_of.__name__ == "half_of"


SCALE = 3


@quadra.jit(device="cpu")
def scaled(x, k=2):
    """Times a constant of the module."""
    return x*SCALE*k


def test_defaults_names_and_constants():
    assert scaled(5) == 30 and scaled(k=1, x=5) == 15 and scaled.__doc__.startswith("Times")
    assert scaled(np.ones(2)).tolist() == [6.0, 6.0]
    with pytest.raises(TypeError):
        scaled()


def product_of(i, j):
    return i*j


def triangle(n):
    s = 0
    for i in range(n):
        for j in range(i):
            s += i*j
    return s


def test_integers_have_64_bits():
    compiled = quadra.jit(product_of)
    for a, b in [(3, 4), (2**20, 2**20), (-(2**31), 2**31 - 1), (2**40, -3), (0, 2**62)]:
        assert compiled(a, b) == a*b
    with pytest.raises(OverflowError):
        compiled(2**40, 2**40)
    assert quadra.jit(triangle)(3000) == triangle(3000)
    for dtype in "i1 i2 i4 u1 u2 u4".split():
        a, b = np.dtype(dtype).type(100), np.dtype(dtype).type(90)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same(compiled(a, b), a*b)
            same(compiled(np.iinfo(dtype).max*np.ones(1, dtype)[0], b), np.iinfo(dtype).max*np.ones(1, dtype)[0]*b)


def swapped(a, b, n):
    for _ in range(n):
        a, b = b, a
    return a, b


def last_index(x):
    i = -1
    for i in range(len(x)):
        if x[i] > 0:
            break
    return i


def reassigned(n):
    s = 0
    for i in range(n):
        i *= 2
        s += i
    return s


def test_variables_are_those_of_python():
    for n in (2, 3):
        same(quadra.jit(swapped)(1.5, 2.5, n), swapped(1.5, 2.5, n))
    for x in ([], [0.0, 1.0, 2.0], [0.0, 0.0]):
        same(quadra.jit(last_index)(np.array(x)), last_index(np.array(x)))
    same(quadra.jit(reassigned)(5), reassigned(5))


def test_random_expressions_of_integers():
    random = np.random.default_rng(3)
    names = ["a", "b", "c"]

    def expression(depth):
        if depth == 0:
            return str(random.integers(-9, 10)) if random.random() < 0.3 else str(random.choice(names))
        one, other = expression(depth - 1), expression(depth - 1)
        form = random.integers(0, 9)
        return [
            f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"({one} // ({other} or 7))",
            f"({one} % {int(random.integers(1, 9))})", f"({one} // {-int(random.integers(1, 9))})", f"(-{one})",
            f"({one} if {other} < a <= 5 else {other})", f"max({one}, {other}, 1)",
        ][form].replace(f"({other} or 7)", f"({other} if {other} != 0 else 7)")

    import linecache

    for k in range(60):
        text = f"def f(a, b, c):\n    return {expression(3)}\n"
        name = f"<expression {k}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        space = {}
        exec(compile(text, name, "exec"), space)
        f = quadra.jit(space["f"])
        for args in random.integers(-20, 21, (8, 3)).tolist():
            assert f(*args) == space["f"](*args), (text, args)

"""`quadra.qpu`: programs with a call for each instruction, and texts, on the emulator."""

import inspect

import numpy as np
import pytest

import quadra
from quadra import qpu



@qpu.program
def squares():
    shl(r0, elem_num, 2)  # noqa: F821
    add(t0s, r0, unif)  # noqa: F821
    ldtmu0()  # noqa: F821
    setup_vpm_write()  # noqa: F821
    fmul(vpm, r4, r4)  # noqa: F821
    setup_dma_store()  # noqa: F821
    start_dma_store(unif)  # noqa: F821
    wait_dma_store()  # noqa: F821
    exit()


def test_a_program_runs():
    # The QPU's arithmetic truncates: squares that need no rounding.
    x = np.arange(-8, 8, dtype=np.float32)
    with qpu.Driver() as driver:
        a, out = driver.copy(x), driver.alloc(16)
        run = driver.execute(squares, [a, out])
        np.testing.assert_array_equal(out, x*x)
        assert run.issued == [len(squares)] and run.seconds is None
        assert (a == x).all()


def test_loops_of_python_write_instructions_and_labels_are_jumped_to():
    @qpu.program
    def sums(steps):
        shl(r0, elem_num, 2)  # noqa: F821
        add(t0s, r0, uniform)  # noqa: F821
        nop(sig="ldtmu0")  # noqa: F821
        mov(r0, r4)  # noqa: F821
        for step in steps:
            nop()  # noqa: F821
            mov(r1, r0 >> step)  # noqa: F821
            add(r0, r0, r1)  # noqa: F821
        mov(r2, uniform)  # noqa: F821
        label("again")  # noqa: F821
        sub(r2, r2, 1, setf=True)  # noqa: F821
        brr("again", cond="anynz")  # noqa: F821
        add(r0, r0, 1).mov(r3, r0)  # noqa: F821
        nop()  # noqa: F821
        nop()  # noqa: F821
        setup_vpm_write()  # noqa: F821
        mov(vpm, r0)  # noqa: F821
        setup_dma_store()  # noqa: F821
        start_dma_store(uniform)  # noqa: F821
        wait_dma_store()  # noqa: F821
        exit()

    made = sums([8, 4, 2, 1])
    with qpu.Driver() as driver:
        a, out = driver.copy(np.arange(16, dtype=np.int32)), driver.alloc(16, np.int32)
        run = driver.execute(made, [a, 5, out], board="1")
    assert out.tolist() == [125] * 16
    assert run.seconds > 0 and run.clocks > len(made) and run.limit
    again = [line for line in run.lines if line.executions == 5]
    source, first = inspect.getsourcelines(test_loops_of_python_write_instructions_and_labels_are_jumped_to)
    lines = {source[line.line - first].strip().split("(")[0] for line in again}
    assert lines == {"sub", "brr", "add", "nop"} and all(line.file == __file__ for line in again)
    assert len(sums([8, 4])) == len(made) - 6


def test_every_qpu_has_uniforms_of_its_own():
    text = """
.include <vc4.qinc>
mov r0, unif
mov r1, unif
shl r2, r1, 4
add r3, r2, elem_num
ldi r2, vpm_setup(0, 1, h32(0))
add vw_setup, r2, r1
mov vpm, r3
ldi r2, vdw_setup_0(1, 16, dma_h32(0, 0))
shl r3, r1, 7
mov vw_setup, vdw_setup_1(0)
add vw_setup, r2, r3
shl r1, r1, 6
add vw_addr, r0, r1
read vw_wait
thrend
nop
nop
"""
    made = qpu.assemble(text)
    with qpu.Driver() as driver:
        out = driver.alloc((12, 16), np.int32)
        run = driver.execute(made, [[out, me] for me in range(12)])
        assert (out == np.arange(192).reshape(12, 16)).all() and len(run.issued) == 12
    again = qpu.assemble(made.disassemble())
    assert (again.words == made.words).all()


def test_floats_and_negative_numbers_are_uniforms():
    @qpu.program
    def sum_of_two():
        fadd(r0, unif, 0.0)  # noqa: F821
        fadd(r0, r0, unif)  # noqa: F821
        setup_vpm_write()  # noqa: F821
        mov(vpm, r0)  # noqa: F821
        setup_dma_store()  # noqa: F821
        start_dma_store(unif)  # noqa: F821
        wait_dma_store()  # noqa: F821
        exit()

    with qpu.Driver() as driver:
        out = driver.alloc(16)
        driver.execute(sum_of_two, [1.5, -0.25, out], qpus=3)
        assert out.tolist() == [1.25] * 16
        with pytest.raises(TypeError, match="uniform"):
            driver.execute(sum_of_two, ["a", 1, out])


def at(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def both_from_a():
    fadd(r0, ra1, ra2)  # noqa: F821
    exit()


def too_early():
    mov(ra0, r0)  # noqa: F821
    add(r1, ra0, 1)  # noqa: F821
    exit()


def nowhere():
    mov(r0, 0)  # noqa: F821
    ldi(t0s, 64)  # noqa: F821
    ldtmu0()  # noqa: F821
    exit()


def waits():
    nop()  # noqa: F821
    sacq("-", 3)  # noqa: F821
    exit()


def test_errors_stand_at_pythons_lines():
    with pytest.raises(quadra.Error, match="register file A") as found:
        qpu.program(both_from_a)
    assert (found.value.file, found.value.line, found.value.code) == (__file__, at(both_from_a, "fadd"), "E0745")
    warned = qpu.program(too_early)
    assert [w.code for w in warned.warnings] == ["H01"]
    with pytest.raises(quadra.Error, match="H01") as found:
        qpu.program(too_early, strict=True)
    assert found.value.line == at(too_early, "add(r1")
    with qpu.Driver() as driver:
        with pytest.raises(quadra.Error) as found:
            driver.execute(qpu.program(nowhere))
        assert found.value.file == __file__ and at(nowhere, "ldi") <= found.value.line <= at(nowhere, "ldtmu0")
        with pytest.raises(quadra.Error, match="semaphore") as found:
            driver.execute(qpu.program(waits))
        assert found.value.line == at(waits, "sacq")
    with pytest.raises(quadra.Error, match="outside of a program"):
        qpu.names["nop"]()


def test_without_a_pi_the_driver_says_why():
    with pytest.raises(quadra.Error) as found:
        qpu.Driver("pi")
    assert found.value.code and found.value.help

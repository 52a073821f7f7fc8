"""Cells of Quasar in IPython: values both ways, pictures, notes on loops, errors."""

import numpy
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import quadra


@pytest.fixture(scope="module")
def shell():
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "quadra")
    yield shell
    InteractiveShell.clear_instance()


CELL = """function y = doubled(x)
    y = zeros(size(x))
    for i = 0..numel(x)-1
        y[i] = 2*x[i]
    endfor
endfunction
z = doubled(a)
print "sum ", sum(z)
"""


def test_values_pass_both_ways(shell):
    a = numpy.arange(4.0)
    shell.push({"a": a})
    with capture_output() as said:
        shell.run_cell_magic("quasar", "-i a -o z,doubled", CELL)
    assert shell.user_ns["z"].tolist() == [0, 2, 4, 6] and a.tolist() == [0, 1, 2, 3]
    assert shell.user_ns["doubled"](numpy.ones(2)).tolist() == [2, 2]
    assert said.stdout == "sum 12\nline 3: parallel over (i)\n"
    with capture_output() as said:
        shell.run_cell_magic("quasar", "-q -o w", "w = doubled(z) + 1")
    assert shell.user_ns["w"].tolist() == [1, 5, 9, 13] and said.stdout == ""


def test_pictures_are_shown(shell):
    with capture_output() as said:
        shell.run_cell_magic("quasar", "", "plot([1,2,4])")
        shell.run_cell_magic("quasar", "", "imshow(zeros(4,4,3))")
    kinds = [kind for shown in said.outputs for kind in shown.data]
    assert "image/svg+xml" in kinds and "image/png" in kinds


def test_errors(shell):
    with pytest.raises(quadra.Error, match="cell [0-9]+:2"):
        shell.run_cell_magic("quasar", "", "x = 1\ny = nothing_of_this_name\n")
    with pytest.raises(NameError, match="missing"):
        shell.run_cell_magic("quasar", "-i missing", "x = 1")
    with pytest.raises(quadra.Error, match="no 'missing'"):
        shell.run_cell_magic("quasar", "-o missing", "x = 1")

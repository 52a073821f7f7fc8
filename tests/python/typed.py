"""What a type checker sees of the package: `test_stubs.py` has mypy check it strictly."""

import numpy as np

import quadra
import quadra.importer
from quadra import Emulation, Function, Program, Verdict

q: Program = quadra.compile("function y = twice(x)\n  y = 2*x\nendfunction", device="host", double=True)
twice: Function = q.twice
doubled = twice(np.ones(3))
parameters: list[str] = twice.parameters
names: list[str] = q.functions
verdicts: list[Verdict] = q.verdicts()
lines: list[int] = [v.line for v in verdicts if v.parallel]
report = q.profile()
if report is not None:
    rows = report["kernels"]
emulated: Emulation = q.emulate(q.twice, np.ones(3), qpus=4)
seconds: float = emulated.seconds
usable: list[str] = [name for name, _, reason in quadra.devices() if reason is None]


@quadra.jit
def total(x: np.ndarray) -> float:
    s = 0.0
    for i in quadra.prange(len(x)):
        s += x[i]
    return s


sums: list[bool] = [v.parallel for v in total.verdicts(np.ones(3))]
try:
    quadra.compile("x = ")
except quadra.Error as e:
    where: tuple[str | None, int | None] = e.file, e.line
    advice: list[str] = e.help

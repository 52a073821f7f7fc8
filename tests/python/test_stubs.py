"""The type stubs say what the module has, and a type checker accepts a program that uses the package as it is meant."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import quadra

pytest.importorskip("mypy")


def run(tmp_path, *args):
    package = Path(quadra.__file__).parents[1]
    # What pip has installed is found as it is, and must not be named besides.
    found = {} if package.name == "site-packages" else {"MYPYPATH": str(package)}
    out = subprocess.run([sys.executable, "-m", *args], env={**os.environ, **found}, cwd=tmp_path, capture_output=True, text=True)
    assert out.returncode == 0, out.stdout + out.stderr


def test_the_stubs_are_those_of_the_module(tmp_path):
    run(tmp_path, "mypy.stubtest", "quadra._quadra")


def test_a_program_passes_the_type_checker(tmp_path):
    run(tmp_path, "mypy", "--strict", str(Path(__file__).with_name("typed.py")))

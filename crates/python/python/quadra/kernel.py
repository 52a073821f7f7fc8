"""The Jupyter kernel ``quasar``. Jupyter starts ``python -m quadra.kernel -f FILE``; ``python -m quadra.kernel install`` tells it of it."""

from __future__ import annotations

import argparse
import base64
import fnmatch
import json
import sys
import tempfile
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

from . import Error, __version__, _Session
from ._quadra import last_expression, state
from .notebook import run

#: What Jupyter reads about the kernel.
SPEC = {
    "argv": ["python", "-m", "quadra.kernel", "-f", "{connection_file}"],
    "display_name": "Quasar",
    "language": "quasar",
    "interrupt_mode": "signal",
}


class QuasarKernel(Kernel):
    """One session of Quasar: variables and functions stay for the next cells."""

    implementation = "quasar"
    implementation_version = __version__
    banner = f"Quasar {__version__}"
    language_info = {
        "name": "quasar",
        "version": __version__,
        "mimetype": "text/x-quasar",
        "file_extension": ".q",
        "pygments_lexer": "octave",
        "codemirror_mode": "octave",
    }

    def __init__(self, **named):
        super().__init__(**named)
        self._session = _Session("auto")
        #: Number and text of the cells so far.
        self._cells: list[tuple[int, str]] = []

    def _evaluate(self, file: str, text: str) -> str | None:
        """Runs a cell; the value of an expression at its end, which ``ans`` keeps."""
        at = last_expression(text)
        if at is None:
            run(self._session, file, text)
            return None
        head, tail = text[:at], text[at:]
        if head.strip():
            run(self._session, file, head)
        # Diagnostics name the line of the cell.
        above = "\n" * head.count("\n")
        if not self._session.has_value(tail):
            run(self._session, file, above + tail)
            return None
        if tail.strip() in self._session.variables():
            return self._session.shown(tail.strip())
        run(self._session, file, f"{above}ans = ({tail}\n)\n")
        return self._session.shown("ans")

    def _pictures(self) -> None:
        for name, caption, content in self._session.pictures():
            kind, data = "image/png", base64.b64encode(content).decode()
            if name.endswith(".svg"):
                kind, data = "image/svg+xml", content.decode()
            shown = {"data": {kind: data, "text/plain": caption or name}, "metadata": {}, "transient": {}}
            self.send_response(self.iopub_socket, "display_data", shown)

    async def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        # What is printed belongs to the cell that asked.
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "set_parent"):
                stream.set_parent(self.get_parent("shell"))
        if store_history and not silent:
            self._cells.append((self.execution_count, code))
        failed = value = None
        try:
            value = self._evaluate(f"cell {self.execution_count}", code)
        except Error as e:
            failed = (e.code or "Error", e.message, str(e).strip().splitlines())
        except KeyboardInterrupt:
            failed = ("KeyboardInterrupt", "the cell was interrupted", ["interrupted"])
        sys.stdout.flush()
        sys.stderr.flush()
        if not silent:
            self._pictures()
        if failed is not None:
            error = dict(zip(("ename", "evalue", "traceback"), failed))
            if not silent:
                self.send_response(self.iopub_socket, "error", error)
            return {"status": "error", "execution_count": self.execution_count, **error}
        if value is not None and not silent:
            result = {"execution_count": self.execution_count, "data": {"text/plain": value}, "metadata": {}}
            self.send_response(self.iopub_socket, "execute_result", result)
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    async def do_complete(self, code, cursor_pos):
        start, end, names = self._session.complete(code, len(code) if cursor_pos is None else cursor_pos)
        return {"status": "ok", "matches": names, "cursor_start": start, "cursor_end": end, "metadata": {}}

    async def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        text = self._session.explain(code, len(code) if cursor_pos is None else cursor_pos)
        data = {} if text is None else {"text/plain": text}
        return {"status": "ok", "found": text is not None, "data": data, "metadata": {}}

    async def do_is_complete(self, code):
        found = state(code + "\n")
        return {"status": found, "indent": "    "} if found == "incomplete" else {"status": found}

    async def do_history(
        self, hist_access_type, output, raw, session=None, start=None, stop=None, n=None, pattern=None, unique=False
    ):
        cells = self._cells
        if hist_access_type == "range":
            cells = [c for c in cells if (start or 0) <= c[0] and (stop is None or c[0] < stop)]
        elif hist_access_type == "search":
            cells = [c for c in cells if fnmatch.fnmatchcase(c[1], pattern or "*")]
        if unique:
            cells = list({text: (number, text) for number, text in cells}.values())
        if hist_access_type != "range" and n is not None:
            cells = cells[max(0, len(cells) - n):]
        rows = [(0, number, (text, None) if output else text) for number, text in cells]
        return {"status": "ok", "history": rows}


def install(user: bool = True, prefix: str | None = None) -> str:
    """Tells Jupyter of the kernel, with this Python; gives the folder of its description."""
    from jupyter_client.kernelspec import KernelSpecManager

    with tempfile.TemporaryDirectory() as folder:
        spec = {**SPEC, "argv": [sys.executable, *SPEC["argv"][1:]]}
        Path(folder, "kernel.json").write_text(json.dumps(spec, indent=2), encoding="utf-8")
        return KernelSpecManager().install_kernel_spec(folder, "quasar", user=user, prefix=prefix)


def main() -> None:
    """``install``, or a kernel that Jupyter has started."""
    if sys.argv[1:2] != ["install"]:
        IPKernelApp.launch_instance(kernel_class=QuasarKernel)
        return
    parser = argparse.ArgumentParser(prog="python -m quadra.kernel install", description="Tells Jupyter of the kernel 'quasar'.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--sys-prefix", action="store_true", help="for this environment, not for this user")
    where.add_argument("--prefix", help="below this folder")
    asked = parser.parse_args(sys.argv[2:])
    prefix = sys.prefix if asked.sys_prefix else asked.prefix
    print(install(user=prefix is None, prefix=prefix))


if __name__ == "__main__":
    main()

"""How long the language server takes for its answers on programs of 200, 2,000 and 20,000 lines.

    python examples/bench/editor.py [LINES …]

The programs are the functions of k01 to k12 again and again, under other names. `opened` is from opening a document to its first
diagnostics, `typed` from a change to the diagnostics of the new text, with letters changed in the middle of the text; the others are
from a request to its answer. Milliseconds: the least and the median of several. The command is QUADRA, or target/release/quadra.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
QUADRA = os.environ.get("QUADRA", HERE.parents[1]/"target/release/quadra")


def program(lines):
    """A program with so many lines: functions of the benchmarks, and calls."""
    texts = [path.read_text().rpartition("endfunction")[0] + "endfunction\n" for path in sorted(HERE.glob("k*.q"))]
    names = {name for text in texts for name in re.findall(r"function .*?(\w+)\(", text)}
    word = re.compile(r"\b(" + "|".join(names) + r")\b")
    made, n = "", 0
    while made.count("\n") < lines:
        made += word.sub(lambda m: f"{m[1]}_{n}", texts[n % len(texts)]) + "\n"
        n += 1
    return "".join(made.splitlines(keepends=True)[:lines])


class Server:
    def __init__(self):
        self.process = subprocess.Popen([QUADRA, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.request("initialize", {"capabilities": {}, "processId": None, "rootUri": None})
        self.send("initialized", {})

    def send(self, method, params, **more):
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def message(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.last += 1
        self.send(method, params, id=self.last)
        while (message := self.message()).get("id") != self.last:
            pass
        return message["result"]

    def diagnostics(self):
        while (message := self.message()).get("method") != "textDocument/publishDiagnostics":
            pass
        return message["params"]["diagnostics"]


def timed(f):
    began = time.perf_counter()
    f()
    return (time.perf_counter() - began)*1e3


def measure(lines, turns):
    text = program(lines)
    server = Server()
    found = {}

    def note(name, ms):
        found.setdefault(name, []).append(ms)

    for turn in range(turns):
        document = {"uri": f"file:///bench/a{turn}.q"}

        def opened():
            server.send("textDocument/didOpen", {"textDocument": {**document, "languageId": "quasar", "version": 1, "text": text}})
            server.diagnostics()

        def typed():
            at = {"line": lines // 2, "character": 0}
            change = {"range": {"start": at, "end": at}, "text": " "}
            server.send("textDocument/didChange", {"textDocument": {**document, "version": 2}, "contentChanges": [change]})
            server.diagnostics()

        note("opened", timed(opened))
        note("typed", timed(typed))
        place = {"textDocument": document, "position": {"line": lines // 2, "character": 9}}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}
        for name, params in [
            ("hover", place), ("completion", place), ("definition", place), ("inlayHint", {"textDocument": document, "range": whole}),
            ("semanticTokens/full", {"textDocument": document}),
            ("formatting", {"textDocument": document, "options": {"tabSize": 4, "insertSpaces": True}}),
        ]:
            note(name, timed(lambda: server.request(f"textDocument/{name}", params)))
        server.send("textDocument/didClose", {"textDocument": document})
        server.diagnostics()
    server.request("shutdown", None)
    server.send("exit", None)
    server.process.wait()
    return found


def main():
    sizes = [int(n) for n in sys.argv[1:]] or [200, 2000, 20000]
    all_found = [measure(n, 20 if n <= 2000 else 5) for n in sizes]
    print(f"{'':20}" + "".join(f"{n:>18,}" for n in sizes))
    for name in all_found[0]:
        print(f"{name:20}" + "".join(f"{min(f[name]):9.2f} {median(f[name]):8.2f}" for f in all_found))


if __name__ == "__main__":
    main()

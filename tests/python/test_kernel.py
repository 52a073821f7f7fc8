"""The Jupyter kernel: its protocol by jupyter_kernel_test, interrupts, diagnostics, and its installation."""

import json
import subprocess
import sys
import time

import jupyter_kernel_test
from jupyter_client.kernelspec import get_kernel_spec
from jupyter_client.manager import start_new_kernel


class TestKernel(jupyter_kernel_test.KernelTests):
    kernel_name = "quasar"
    language_name = "quasar"
    file_extension = ".q"
    code_hello_world = 'print "hello, world"'
    code_stderr = 'import "C:/elsewhere/other.q"'
    completion_samples = [
        {"text": "x = linsp", "matches": {"linspace"}},
        {"text": "endfunc", "matches": {"endfunction"}},
    ]
    complete_code_samples = ["x = 1", "if x\nprint x\nendif"]
    incomplete_code_samples = ["for i=0..3\nprint i", "x = [1,"]
    invalid_code_samples = ["x = )"]
    code_inspect_sample = "linspace"
    code_execute_result = [
        {"code": "1+2", "result": "3"},
        {"code": "function y = f(x)\n    y = 2*x\nendfunction\nf(4) % twice", "result": "8"},
        {"code": "w = [1,2]\nw", "result": "[1, 2]"},
    ]
    code_display_data = [
        {"code": "plot([1,2,4])", "mime": "image/svg+xml"},
        {"code": "imshow(zeros(4,4,3))", "mime": "image/png"},
    ]
    code_generate_error = "y = nothing_of_this_name"
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "search", "range")

    def test_diagnostics_name_the_line_of_the_cell(self):
        self.flush_channels()
        reply, shown = self.execute_helper("x = 1\n\nnothing_of_this_name + x")
        content = reply["content"]
        assert content["status"] == "error" and content["ename"] == "Q0302"
        assert any(":3:" in line for line in content["traceback"]), content["traceback"]
        assert [m["msg_type"] for m in shown].count("error") == 1

    def test_names_of_the_session_are_completed_and_explained(self):
        self.flush_channels()
        self.execute_helper("my_matrix = eye(2);")
        self.kc.complete('"ä" + my_m', 10)
        content = self.get_non_kernel_info_reply(timeout=15)["content"]
        assert content["matches"] == ["my_matrix"] and (content["cursor_start"], content["cursor_end"]) == (6, 10)
        self.kc.inspect("my_matrix", 3)
        assert "mat 2x2" in self.get_non_kernel_info_reply(timeout=15)["content"]["data"]["text/plain"]


def test_interrupts_end_the_cell_and_keep_the_session():
    manager, client = start_new_kernel(kernel_name="quasar")
    try:
        client.execute_interactive("kept = 7;", timeout=30)
        client.execute('print "begun"\nx = 0\nwhile x < 1\n    x = x*1\nendwhile')
        while client.get_iopub_msg(timeout=30)["msg_type"] != "execute_input":
            pass
        time.sleep(0.3)
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=30)
        assert reply["content"]["status"] == "error" and reply["content"]["ename"] == "KeyboardInterrupt"
        found = []
        client.execute_interactive("kept", timeout=30, output_hook=lambda m: found.append(m["content"].get("data")))
        assert {"text/plain": "7"} in found
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_it_installs_itself_as_the_wheel_does(tmp_path):
    args = [sys.executable, "-m", "quadra.kernel", "install", "--prefix", str(tmp_path)]
    subprocess.run(args, check=True, capture_output=True)
    written = json.loads((tmp_path / "share/jupyter/kernels/quasar/kernel.json").read_text())
    shipped = get_kernel_spec("quasar")
    assert written["argv"][1:] == shipped.argv[1:] and written["argv"][0] == sys.executable
    assert (written["display_name"], written["language"]) == (shipped.display_name, shipped.language)

"""The notebooks under `examples/notebooks`, executed from their first cell to their last; their outputs stand in the book."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(os.environ.get("QUADRA_EXAMPLES", Path(__file__).parents[2] / "examples")) / "notebooks"
BOOK = Path(os.environ.get("QUADRA_BOOK", Path(__file__).parents[2] / "book/src")) / "notebook.md"


def outputs(name):
    """Texts and kinds of pictures that the cells of a notebook give."""
    notebook = nbformat.read(FOLDER / name, as_version=4)
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": FOLDER}}).execute()
    texts, kinds = [], []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            kinds += [kind for kind in data if kind.startswith("image/")]
            if output.output_type == "stream":
                # The diagnostics of a serial loop are longer than the note.
                texts += [output.text] if output.name == "stdout" else []
            elif not any(kind.startswith("image/") for kind in data):
                texts.append(data["text/plain"] + "\n")
    return "".join(texts), kinds


@pytest.mark.parametrize(
    "name, kinds", [("python.ipynb", ["image/svg+xml"]), ("quasar.ipynb", ["image/svg+xml", "image/png"])]
)
def test_outputs_are_those_of_the_book(name, kinds):
    text, found = outputs(name)
    assert found == kinds
    book = BOOK.read_text(encoding="utf-8")
    shown = book.split(f"<!-- {name} -->\n```text\n", 1)[1].split("```", 1)[0]
    assert text == shown

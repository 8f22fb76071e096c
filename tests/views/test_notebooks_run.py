"""What a page offers as a notebook runs from top to bottom in a kernel of its own, offline."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.headless import open_page, recorded_downloads
from tests.views.running import numbers, run

# What the kernel runs first: a way out would be an error.
OFFLINE = """\
import socket

def refused(*_):
    raise OSError("a notebook reached for the network")

socket.create_connection = socket.getaddrinfo = refused"""
slow = pytest.mark.slow
PAGES = [
    pytest.param("1_Tokens", "tokens"),
    pytest.param("3_Nearest_Neighbors", "neighbors-1", marks=slow),
    pytest.param("4_Word_in_Context", "context", marks=slow),
]


@pytest.mark.usefixtures("fresh_caches")
@pytest.mark.parametrize(("page", "name"), PAGES)
def test_runs(page: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints what the program on the page prints, and shows its pictures."""
    downloads = recorded_downloads(monkeypatch)
    app = open_page(f"pages/{page}.py", **{f"code-{name}": "true"})
    (program,) = [block.value for block in app.code]
    (made,) = [make for file, make in downloads.items() if file.endswith(".ipynb")]
    book = nbformat.reads(made().decode(), as_version=4)
    nbformat.validate(book)
    pictured = any(cell.source.startswith("## The picture") for cell in book.cells)
    assert pictured == bool(app.get("plotly_chart"))
    facts = book.metadata["bertviz"]
    assert facts["model"] == "all-MiniLM-L6-v2"
    assert len(facts["SHA-256 of its weights"]) == 64
    monkeypatch.setenv("PLOTLY_RENDERER", "plotly_mimetype")  # without Plotly's script, 5 MB
    book.cells.insert(0, nbformat.v4.new_code_cell(OFFLINE))
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=where).execute()
    printed, _ = run(program)
    output = "".join(
        one.text for cell in book.cells for one in cell.get("outputs", ())
        if one.output_type == "stream" and one.name == "stdout"
    )  # fmt: skip
    assert numbers(output) == pytest.approx(numbers(printed), abs=2e-4)
    assert len(numbers(output)) > 10
    shown = [
        one.data for cell in book.cells for one in cell.get("outputs", ())
        if "application/vnd.plotly.v1+json" in one.get("data", {})
    ]  # fmt: skip
    assert bool(shown) == pictured

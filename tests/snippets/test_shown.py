"""Every program and every notebook that a page offers runs in an empty folder, with no network."""

import ast
from pathlib import Path

import nbformat
import plotly.basedatatypes
import pytest

from bertviz_core.calibration import Scales
from bertviz_core.ui import calibrations, jobs, sections
from bertviz_core.ui.word_senses import lists
from tests.headless import ROOT, open_page, recorded_downloads
from tests.snippets.running import run
from tests.tiny import write_checkpoint
from tests.waiting import wait_for

TINY = {"model": "tiny", "s": "the [cat] sat\na [dog] in the code", "anchors": "dog"}
SHOWN = [
    ("app", {}, ["one_token"]),
    ("1_Tokens", {"closer": sections.WORD_STEPS}, ["tokens", "steps"]),
    ("1_Tokens", {"closer": sections.VOCABULARY}, ["vocabulary"]),
    ("1_Tokens", {"closer": sections.IDS}, ["ids"]),
    ("1_Tokens", {"closer": sections.TWO_SEGMENTS}, ["pair-segments"]),
    ("1_Tokens", {"closer": sections.LINES}, ["lines"]),
    ("3_Nearest_Neighbors", {}, ["neighbors-1"]),
    ("3_Nearest_Neighbors", {"wider": sections.PERCENTILE_SCALE, "model": "tiny", "q": "cat"},
     ["table-ruler"]),
    ("3_Nearest_Neighbors", {"q": "", "mapby": "PCA"}, ["token_map"]),
    ("4_Word_in_Context", {"deeper": sections.INFLUENCE}, ["context", "influence", "attention"]),
    ("4_Word_in_Context", {"deeper": sections.LENS, "centre": "true", **TINY},
     ["lens", "predictions"]),
    ("4_Word_in_Context", {"deeper": sections.NEIGHBORS}, ["context-neighbors"]),
    ("4_Word_in_Context",
     {"deeper": sections.PERCENTILES, **TINY, "s": "the [cats] sat", "anchors": "dogs"},
     ["percentile-scale"]),
    ("4_Word_in_Context", {"deeper": sections.PIECES}, ["pieces"]),
    ("4_Word_in_Context", {"deeper": sections.SECOND_MODEL}, ["second-model"]),
    ("5_Word_Senses", {"senses": sections.SCORES}, ["scores", "senses"]),
    ("5_Word_Senses", {"occurrence-numbers": "true"}, ["senses"]),
]  # fmt: skip
OF_A_CORPUS = {"shift"}  # in tests/ui/test_word_senses_corpus.py


RUN = {"orders", "run_survives"}  # before it is run


@pytest.fixture
def tiny_beside(
    fresh_caches: None, tiny_scales: Scales, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The tiny model, measured, with a head for masked words."""
    folder = write_checkpoint(tmp_path / "tiny", masked_words=True)
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={folder}")
    calibrations.measurement("tiny").calibration = tiny_scales
    return folder


@pytest.mark.parametrize(("page", "query", "names"), SHOWN, ids=lambda value: str(value))
def test_shown(
    page: str,
    query: dict,
    names: list[str],
    tiny_beside: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The notebook holds the program, cell by cell, so that is what runs.

    A file that a program reads is one that its own section offers, and its first lines say so.
    """
    downloads = recorded_downloads(monkeypatch)
    if "occurrence-numbers" in query:
        monkeypatch.setattr(lists, "MOST_LISTED", 2)
    unfolded = {f"code-{name}": "true" for name in names}
    script = f"{page}.py" if page == "app" else f"pages/{page}.py"
    app = open_page(script, **query, **unfolded)
    if "wider" in query:  # a job beside the page makes what is shown
        wait_for(lambda: not [job for job in jobs._jobs.values() if job.state == "running"])
        app.run()
    for button in [button for button in app.button if button.key in RUN]:
        button.click().run()
    programs = [block.value for block in app.code]
    assert len(programs) == len(names)
    (folder := tmp_path / "empty").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(plotly.basedatatypes.BaseFigure, "show", shown_in_notebook)
    run_cells = []
    for file, made in list(downloads.items()):
        if file.endswith(".ipynb"):
            cells = code_cells(made())
            program = next(one for one in programs if lines(one) == lines("\n".join(cells[1:4])))
            run_cells.append(program)
            read = {name: make for name, make in downloads.items() if repr(name) in program}
            assert bool(read) == ("beside this program" in program and "words = []" in program)
            for name, make in read.items():
                Path(name).write_bytes(make())
            printed, _ = run("\n\n".join(cells).replace("'path/to/tiny'", repr(str(tiny_beside))))
            assert printed
    assert sorted(run_cells) == sorted(programs)


def shown_in_notebook(figure: object, *, config: dict) -> None:
    assert config == {"showSendToCloud": False, "plotlyServerURL": ""}


def code_cells(book: bytes) -> list[str]:
    cells = nbformat.reads(book.decode(), as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def lines(program: str) -> list[str]:
    return [line for line in program.splitlines() if line]


def test_every_program_of_the_pages_is_here() -> None:
    """By the name of its fold, seen in the source."""
    covered = {name for _, _, names in SHOWN for name in names} | OF_A_CORPUS
    covered.add("anisotropy")  # the program of percentile-scale, for words that tiny has too few of
    for path in (ROOT / "bertviz_core" / "ui").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("code", "_program"):
                given = {option.arg: option.value for option in node.keywords}
                if isinstance(given.get("name"), ast.Name):  # in `_program`, which is given it
                    continue
                if "name" in given:
                    name = ast.unparse(given["name"]).strip("f'").replace("{number}", "1")
                else:
                    name = ast.literal_eval(node.args[0]).rpartition("/")[2]
                assert name in covered, path

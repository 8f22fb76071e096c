"""Every program and every notebook that a page offers runs in an empty folder, with no network."""

from pathlib import Path

import nbformat
import plotly.basedatatypes
import pytest

from bertviz_core.calibration import Scales
from bertviz_core.ui import calibrations, sections
from bertviz_core.ui.word_senses import lists
from tests.headless import open_page, recorded_downloads
from tests.snippets.running import run
from tests.tiny import write_checkpoint

SHOWN = [
    ("5_Word_Senses", {"senses": sections.SCORES}, ["scores", "senses"]),
    ("5_Word_Senses", {"occurrence-numbers": "true"}, ["senses"]),
    ("6_Positions_and_Segments", {}, ["positions"]),
    ("6_Positions_and_Segments", {"part": sections.SINUSOIDS}, ["sinusoids"]),
    ("6_Positions_and_Segments", {"part": sections.SEGMENT_TABLE}, ["segments"]),
    ("6_Positions_and_Segments", {"part": sections.EXPERIMENTS}, ["experiment"]),
    ("7_Inside_the_Model", {}, ["parameters"]),
    ("7_Inside_the_Model", {"inside": sections.TENSOR}, ["tensor"]),
    ("7_Inside_the_Model", {"inside": sections.NORMS}, ["norms"]),
    ("7_Inside_the_Model", {"inside": sections.POOLER}, ["pooler"]),
    ("7_Inside_the_Model", {"inside": sections.TRAINING}, ["training"]),
]  # fmt: skip


RUN = {"orders", "run_change", "run_pooler", "run_training", "run_survives"}  # before it is run


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

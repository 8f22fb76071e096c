"""A view to take home: what belongs to it, what its files are called, and that it costs nothing."""

import io
import json

import nbformat
import numpy as np
import pytest

import bertviz_core
from bertviz_core.senses import vector_files
from tests.headless import open_page, recorded_downloads

pytestmark = pytest.mark.usefixtures("fresh_caches")
BUTTONS = ["This view as a notebook", "Arrays (NPZ)"]
EMBEDDINGS = "pages/2_Input_Embeddings.py"


def opened(data: bytes) -> tuple[dict[str, np.ndarray], dict]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = dict(archive)
    return arrays, json.loads(str(arrays["about"]))


def test_a_view_is_what_is_above_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what belongs to the view before it; found again by its address and its name."""
    downloads = recorded_downloads(monkeypatch)
    folds = {"code-embeddings": "true", "code-layer-norm": "true"}
    asked = {"section": "what LayerNorm does", "dim": "99"}
    app = open_page(EMBEDDINGS, a="I <i>*love*</i>", **asked, **folds)
    config = json.loads(app.get("plotly_chart")[0].proto.config)["toImageButtonOptions"]
    assert config["filename"] == "input-embeddings_input-embeddings_all-MiniLM-L6-v2_i-i-love-i"
    assert [button.proto.label for button in app.get("download_button")][:2] == BUTTONS
    for name in ("embeddings", "layer-norm"):
        (file,) = (one for one in downloads if one.endswith(".npz") and f"_{name}_" in one)
        book = nbformat.reads(downloads[file[:-3] + "ipynb"]().decode(), as_version=4)
        heading = book.cells[0].source
        assert heading.startswith("# What goes into BERT's first layer?")
        query = "?a=I+%3Ci%3E%2Alove%2A%3C%2Fi%3E&section=what+LayerNorm+does&dim=99"
        assert f"{query}) of the" in heading
        arrays, about = opened(downloads[file]())
        assert ("output" in arrays) == (name == "embeddings")
        if name == "embeddings":
            added = arrays["word"] + arrays["token_type"] + arrays["position"]
            assert (added == arrays["summed"]).all()
        assert (about["page"], about["view"]) == ("Input Embeddings", name)
        assert len(about["facts"]["SHA-256 of its weights"]) == 64
        assert about["facts"]["bert-embedding-explorer"] == bertviz_core.__version__
        assert ("dimension <b>" in heading) == (name == "layer-norm")


def test_nothing_is_sent_before_somebody_unfolds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    downloads = recorded_downloads(monkeypatch)
    app = open_page(EMBEDDINGS)
    assert not downloads
    folds = [fold for fold in app.expander if fold.label.startswith("Show the code")]
    assert len(folds) == 1
    assert not folds[0].children
    assert not open_page(EMBEDDINGS, present="1", **{"code-embeddings": "true"}).code
    assert not downloads


LINES = "\n".join(f"the bank number {i} of the river" for i in range(8))
SENTENCES = ["We sat on the bank.", "The bank was shut.", "A dog barks."]
SENSES = {"from": "my own lines", "senseword": "bank", "lines": LINES, "code-senses": "true"}
MATRIX = {"a": SENTENCES[0], "others": "\n".join(SENTENCES[1:]), "code-matrix": "true"}
MATRIX["layer"] = "6"


@pytest.mark.parametrize(
    ("page", "query", "words"),
    [("5_Word_Senses", SENSES, ["bank"] * 8), ("6_Sentence_Vectors", MATRIX, SENTENCES)],
)
def test_arrays_open_on_word_senses(
    page: str, query: dict[str, str], words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads = recorded_downloads(monkeypatch)
    open_page(f"pages/{page}.py", **query)
    made = {file.rpartition(".")[2]: make() for file, make in downloads.items()}
    again = vector_files.read(io.BytesIO(made["npz"]), None, 100)
    assert again.model == "all-MiniLM-L6-v2"
    assert [one.word for one in again.found.occurrences] == words
    arrays, about = opened(made["npz"])
    if query == SENSES:
        assert arrays["vectors"].shape[1:] == (7, 384)
        assert again.found.vectors == pytest.approx(arrays["vectors"])
        assert about["made"] == {"word": "bank", "layer": 6, "pooling": "mean"}
        name = "word-senses_senses_all-MiniLM-L6-v2_word-bank_layer-6_pooling-mean.npz"
        assert name in downloads

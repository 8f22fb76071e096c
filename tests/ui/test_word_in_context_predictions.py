"""Word in Context, headless: what a vector predicts, where the checkpoint holds the head."""

from pathlib import Path

import pytest

from bertviz_core.bert import load_bert
from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.lens import nearest_rows_by_layer
from bertviz_core.contextual.predictions import predictions_by_layer
from bertviz_core.encoder import load_encoder
from bertviz_core.ui import sections
from tests.data.damage import change_tensor
from tests.headless import charts, html, numbers, open_page, unfolded, value, values
from tests.snippets.running import run_filled
from tests.tiny import write_checkpoint

pytestmark = pytest.mark.usefixtures("fresh_caches", "never_measured")

PAGE = "pages/4_Word_in_Context.py"
VIEW = {"deeper": sections.LENS, "s": "the [cat] sat on the mat", "anchors": "dog"} | unfolded(
    "lens", "predictions"
)


@pytest.fixture
def predicting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny model with a head for masked words, in use as "mine"."""
    folder = write_checkpoint(tmp_path / "mine", masked_words=True)
    monkeypatch.setenv("BERTVIZ_MODELS", f"mine={folder}")
    monkeypatch.setenv("BERTVIZ_MODEL", "mine")
    return folder


def test_what_the_vector_predicts(predicting: Path) -> None:
    app = open_page(PAGE, layer="1", **VIEW)
    bert = load_bert(predicting)
    word = word_in_context(load_encoder(bert), VIEW["s"])
    own = [bert.vocabulary.ids["cat"]]
    expected = predictions_by_layer(bert, word.vectors, own, 10)
    grid = charts(app)[-1]["data"][0]
    assert numbers(grid["z"]) == pytest.approx(expected.probabilities[:, :5], abs=1e-5)
    assert grid["customdata"][2][0] == expected.tokens[2][0]
    assert value(app, "predicted") == expected.tokens[1][0]
    assert value(app, "predicted-rank") == f"{expected.own_ranks[1]}"
    probability = float(value(app, "probability").rstrip("%")) / 100
    assert probability == pytest.approx(expected.probabilities[1, 0], abs=0.0051)
    frame = app.dataframe[-1].value
    assert frame["1"].tolist() == [row[0] for row in expected.tokens]
    assert frame["probability of 2"].to_numpy() == pytest.approx(expected.probabilities[:, 1])
    nearest = [row[0] for row in nearest_rows_by_layer(bert, word.vectors, own, 1).tokens]
    assert frame["nearest row"].tolist() == nearest
    same = sum(a == row[0] for a, row in zip(nearest, expected.tokens, strict=True))
    assert value(app, "same_layers") == f"{same}"


def test_a_masked_word_is_predicted(predicting: Path) -> None:
    app = open_page(PAGE, deeper=sections.LENS, s="the [[MASK]] sat", anchors="dog")
    word = word_in_context(load_encoder(load_bert(predicting)), "the [[MASK]] sat")
    assert word.tokens == ("[MASK]",)
    assert len(values(app, "predicted")) == 1


def test_the_embedded_model_has_no_head() -> None:
    app = open_page(PAGE, deeper=sections.LENS, **unfolded("lens"))
    assert value(app, "missing-tensors") == "5"
    assert values(app, "predicted") == []
    assert len(app.dataframe[-1].value) == 7, "the nearest rows stay"


def test_a_damaged_head_is_a_sentence(predicting: Path) -> None:
    change_tensor(predicting, "cls.predictions.bias", lambda bias: bias[:3])
    app = open_page(PAGE, **VIEW)
    assert "cls.predictions.bias of shape (3,)" in html(app)
    assert values(app, "nearest"), "the nearest rows stay"


def test_the_program_prints_the_same(predicting: Path) -> None:
    bert = load_bert(predicting)
    word = word_in_context(load_encoder(bert), VIEW["s"])
    expected = predictions_by_layer(bert, word.vectors, [8], 3)
    printed, _ = run_filled(
        "contextual/predictions", bert, word=(word.sentence, 4, 7), pooling="mean", k=3
    )
    rows = [line.split() for line in printed.splitlines()]
    assert [row[0] for row in rows] == [str(layer) for layer in range(3) for _ in range(3)]
    assert [row[2] for row in rows] == [token for layer in expected.tokens for token in layer]
    found = [float(row[1]) for row in rows]
    assert found == pytest.approx(expected.probabilities.ravel(), abs=1e-4)

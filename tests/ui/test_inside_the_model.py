"""The page on the inside of a model, headless: its numbers are the core's."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.checkpoints.tensors import tensor_statistics
from bertviz_core.checkpoints.vocabulary import KINDS
from bertviz_core.contextual.marks import read_word_pair
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.pooler import pooler_steps
from bertviz_core.encoder.training import backward_pass
from bertviz_core.tokens import tokenize
from bertviz_core.ui.sections import NORMS, POOLER, TENSOR, TRAINING
from tests.headless import charts, html, numbers, open_page, said, value, values
from tests.hostile import assert_harmless

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/7_Inside_the_Model.py"
UNFOLDED = {"histogram-numbers": "true"}
HOSTILE = [
    "",
    "   ",
    "[a]",
    "[a] [b] [c]",
    "[a [b]]",
    "[ki][ng]",
    "[PAD] [dog] [PAD] [cat]",
    "<script>alert(1)</script> [<b>] [x]",
    "![x](http://example.org/x.png) [a](javascript:alert(1)) [b]",
    "[שלום] [🐍] \x00\u202e {curly} $x^2$",
    "word " * 900,
    "[a] " + "word " * 200 + "[b]",
]


def test_parameters_are_the_files(minilm: Bert) -> None:
    app = open_page(PAGE)
    census = count_parameters(minilm.checkpoint)
    assert values(app, "total") == ["22,713,216", "22,713,216"]
    assert values(app, "in_matrices") == ["22,682,112", "22,682,112"]
    assert [metric.value for metric in app.metric] == [
        f"{census.total:,}",
        f"{census.two_dimensional:,}",
        "109,482,240",
        "109,360,128",
    ]
    frame = app.dataframe[0].value
    assert tuple(frame["name"]) == census.names
    assert frame["parameters"].sum() == census.total
    assert frame["share in %"].sum() == pytest.approx(100)
    (figure,) = charts(app)
    trace = figure["data"][0]
    drawn = dict(zip(trace["ids"], numbers(trace["values"]).tolist(), strict=True))
    assert drawn["all"] == census.total
    assert {group: drawn[group] for group in census.by_group} == census.by_group
    assert all(drawn[p.name] == p.count for p in census.parameters)
    assert "The file holds one more tensor that is not counted" in said(app)
    assert app.dataframe[1].value["left aside"].tolist() == ["embeddings.position_ids"]
    assert "equal to the count of the file" in " ".join(c.value for c in app.caption)


@pytest.mark.parametrize(
    "name", ["embeddings.token_type_embeddings.weight", "encoder.layer.3.output.LayerNorm.bias"]
)
def test_one_tensor(minilm: Bert, name: str) -> None:
    app = open_page(PAGE, inside=TENSOR, tensor=name)
    found = tensor_statistics(minilm.checkpoint, name)
    (figure,) = charts(app)
    assert numbers(figure["data"][0]["y"]).tolist() == found.counts.tolist()
    assert figure["layout"]["yaxis"]["type"] == "log"
    assert value(app, "std") == f"{found.std:.4f}"
    assert value(app, "length") == f"{found.norm:.3f}"
    extremes = app.dataframe[0].value
    assert extremes["its length"].iloc[0] == found.row_norms.max()
    assert extremes["of length"].iloc[0] == found.row_norms.min()
    app = open_page(PAGE, inside=TENSOR, tensor=name, heights="linear", **UNFOLDED)
    assert app.dataframe[0].value["numbers"].tolist() == found.counts.tolist()
    assert "type" not in charts(app)[0]["layout"]["yaxis"]


def test_extreme_rows_of_the_token_table_are_named(minilm: Bert) -> None:
    extremes = open_page(PAGE, inside=TENSOR).dataframe[0].value
    for names, rows in (("longest", "its row"), ("shortest", "in row")):
        for name, row in zip(extremes[names], extremes[rows], strict=True):
            assert minilm.vocabulary.tokens[row] == name


def test_a_tensor_that_is_not_there_is_not_read(minilm: Bert) -> None:
    app = open_page(PAGE, inside=TENSOR, tensor="../../config.json")
    assert app.selectbox(key="tensor").value == "embeddings.word_embeddings.weight"


def test_norms_of_the_token_table(minilm: Bert) -> None:
    app = open_page(PAGE, inside=NORMS)
    (figure,) = charts(app)
    words, norms = minilm.vocabulary, minilm.tables.word_norms
    marked = set()
    for kind, trace in enumerate(figure["data"]):
        ids = numbers(trace["x"])
        assert np.array_equal(numbers(trace["y"]), norms[ids])
        assert set(words.kinds[ids].tolist()) == {kind}
        marked |= set(ids.tolist())
    assert {norms.argmax(), norms.argmin()} <= marked
    assert marked >= set(np.flatnonzero(words.is_special).tolist())
    assert 200 < len(marked) < 1_000
    (image,) = figure["layout"]["images"]
    assert image["source"].startswith("data:image/png")
    frame = app.dataframe[0].value
    assert frame["rows"].sum() == minilm.vocab_size
    unused = minilm.tables.word_norms[words.kinds == KINDS.index("unused")]
    row = frame[frame["kind"] == "[unused]"].iloc[0]
    assert row["median length"] == pytest.approx(np.median(unused))
    assert value(app, "count") == "994"
    assert value(app, "median_unused") == f"{np.median(unused):.3f}"


def test_norms_of_some_kinds_only(minilm: Bert) -> None:
    app = open_page(PAGE, inside=NORMS, kinds="[unused]")
    (figure,) = charts(app)
    assert [trace["name"] for trace in figure["data"]] == ["[unused] (994)"]
    (image,) = figure["layout"]["images"]
    (control,) = [group for group in app.button_group if group.key == "kinds"]
    control.set_value(["[unused]", "special"]).run()
    (figure,) = charts(app)
    assert [trace["name"] for trace in figure["data"]] == ["[unused] (994)", "special (5)"]
    # Few rows are marks and not a part of the picture.
    assert figure["layout"]["images"][0]["source"] == image["source"]


def test_pooler_by_one_click_then_by_itself(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, inside=POOLER)
    assert not charts(app)
    app.button(key="run_pooler").click().run()
    assert not app.exception
    steps = pooler_steps(
        minilm_encoder, tokenize(minilm_encoder.bert, "Sinan loves a beautiful day")
    )
    assert value(app, "difference") == "0.0e+00"
    assert "equal to the last bit" in said(app)
    assert value(app, "cosine") == f"{steps.cosine:.3f}"
    # Of the outputs; and of the numbers of a bias that was never trained.
    assert values(app, "count") == ["384", "384"]
    tanh, cls = charts(app)
    np.testing.assert_array_equal(numbers(tanh["data"][1]["x"]), steps.dense)
    np.testing.assert_array_equal(numbers(cls["data"][0]["x"]), steps.cls)
    np.testing.assert_array_equal(numbers(cls["data"][0]["y"]), steps.output)
    frame = app.dataframe[0].value
    np.testing.assert_array_equal(frame["after tanh"], frame["pooler_output"])
    app.text_input(key="pooled").set_value("another sentence").run()
    assert not [button for button in app.button if button.key == "run_pooler"]
    assert len(charts(app)) == 2


def moved(app: AppTest) -> list[str]:
    """How many rows of each table would move."""
    tables = ("words", "positions", "segments")
    return [f"{value(app, name)} of {value(app, f'all_{name}')}" for name in tables]


def test_training_by_one_click_then_by_itself(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, inside=TRAINING)
    assert not charts(app)
    app.button(key="run_training").click().run()
    assert not app.exception
    bert = minilm_encoder.bert
    pair = read_word_pair(bert, "The [king] spoke to the [queen]")
    found = backward_pass(minilm_encoder, pair.text, pair.first_positions, pair.second_positions)
    assert (value(app, "first"), value(app, "second")) == ("king", "queen")
    assert value(app, "cosine") == f"{found.cosine:.3f}"
    assert moved(app) == ["7 of 30,522", "8 of 512", "1 of 2"]
    assert "exactly those this text uses" in said(app)
    assert value(app, "answer").startswith("Yes")
    assert value(app, "requires_grad").startswith("true")
    for name, table in (("word",) * 2, ("position",) * 2, ("segment", "token_type")):
        length = found.norm_of(f"embeddings.{table}_embeddings.")
        assert value(app, f"gradient_{name}") == f"{length:.4f}"
    assert (value(app, "count"), value(app, "rows")) == ("8", "7")
    bars, rows = charts(app)
    drawn = numbers(bars["data"][0]["x"])
    assert len(drawn) == 4 + 6 + 1
    assert drawn[4] == pytest.approx(found.norm_of("encoder.layer.0."))
    assert drawn[-1] == 0
    np.testing.assert_array_equal(
        numbers(rows["data"][0]["y"]), found.word_rows[pair.text.input_ids]
    )
    app.text_input(key="beside").set_value("She is Zoe").run()
    assert moved(app)[2] == "2 of 2"
    assert "exactly those" in said(app)
    app.text_input(key="alike").set_value("a [dog] [PAD] a [cat]").run()
    assert value(app, "tokens") == "[PAD]"
    assert "exactly those" not in said(app)


@pytest.mark.parametrize("view", [POOLER, TRAINING])
def test_any_input_ends_in_a_result_or_a_sentence(view: str) -> None:
    app = open_page(PAGE, inside=view)
    key = "pooled" if view == POOLER else "alike"
    app.button(key="run_pooler" if view == POOLER else "run_training").click().run()
    for text in HOSTILE:
        app.text_input(key=key).set_value(text[:5000]).run()
        assert_harmless(app)
        assert bool(charts(app)) != ("bx-alert" in html(app)), text


def test_too_long_for_a_backward_pass() -> None:
    app = open_page(PAGE, inside=TRAINING)
    app.button(key="run_training").click().run()
    app.text_input(key="alike").set_value("[dog] and [cat] " + "word " * 200).run()
    assert "tokens; a backward pass takes at most 128 here" in said(app)


def test_without_a_pooler(
    tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "headless"
    shutil.copytree(tiny_folder, folder)
    weights = folder / "model.safetensors"
    tensors = {k: v for k, v in load_file(weights).items() if not k.startswith("pooler.")}
    heads = {f"cls.{name}": np.zeros(3, np.float32) for name in ("bias", "weight")}
    save_file(tensors | heads, weights, metadata={"format": "pt"})
    monkeypatch.setenv("BERTVIZ_MODELS", f"headless={folder}")
    monkeypatch.setenv("BERTVIZ_MODEL", "headless")
    app = open_page(PAGE)
    assert "and the file has no pooler" in said(app)
    assert value(app, "tensors") == "2"
    assert "equal to the count of the file" in " ".join(c.value for c in app.caption)
    app = open_page(PAGE, inside=POOLER)
    assert "The file of headless has no pooler" in said(app)
    assert not [button for button in app.button if button.key == "run_pooler"]
    app = open_page(PAGE, inside=TRAINING, alike="the [king] and a [queen]")
    app.button(key="run_training").click().run()
    assert len(charts(app)) == 2


def test_a_tensor_the_new_model_lacks(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    app = open_page(PAGE, inside=TENSOR, tensor="encoder.layer.5.output.dense.weight")
    assert app.selectbox(key="tensor").value == "encoder.layer.5.output.dense.weight"
    app.selectbox(key="model").set_value("tiny").run()
    assert not app.exception
    assert app.selectbox(key="tensor").value == "embeddings.word_embeddings.weight"
    assert charts(app)

"""The page on the inside of a model, headless: its numbers are the core's."""

import json
from pathlib import Path

import numpy as np
import pytest
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
from tests.data.damage import Tensors, change_weights
from tests.headless import charts, numbers, open_page, said, value, values
from tests.tiny import VOCABULARY

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/7_Inside_the_Model.py"


def downloads(app: AppTest) -> list[str]:
    return [button.proto.label for button in app.get("download_button")]


def test_parameters_are_the_files(minilm: Bert) -> None:
    app = open_page(PAGE, **{"every-parameter": "true"})
    census = count_parameters(minilm.checkpoint)
    assert (value(app, "total"), value(app, "in_matrices")) == ("22,713,216", "22,682,112")
    assert value(app, "share_embedding") == "52%"
    assert value(app, "token-table") == "11,720,448 (51.6%)"
    assert value(app, "pooler").startswith("147,840")
    assert [metric.value for metric in app.metric] == [
        *("22,713,216", "22,682,112", "109,482,240", "109,360,128"),
    ]
    frame = app.dataframe[0].value
    assert tuple(frame["name"]) == census.names
    assert frame["parameters"].sum() == census.total
    assert frame["share in %"].sum() == pytest.approx(100)
    (figure,) = charts(app)
    trace = figure["data"][0]
    drawn = dict(zip(trace["ids"], numbers(trace["values"]).tolist(), strict=True))
    assert drawn == drawn | {"all": census.total} | census.by_group
    assert all(drawn[p.name] == p.count for p in census.parameters)
    assert "Not counted, 1 of the file's tensors, as CSV" in downloads(app)
    assert "equal to the count of the file" in " ".join(c.value for c in app.caption)


@pytest.mark.parametrize(
    "name", ["embeddings.token_type_embeddings.weight", "encoder.layer.3.output.LayerNorm.bias"]
)
def test_one_tensor(minilm: Bert, name: str) -> None:
    app = open_page(PAGE, inside=TENSOR, tensor=name, **{"extreme-rows": "true"})
    found = tensor_statistics(minilm.checkpoint, name)
    _, figure = charts(app)
    assert numbers(figure["data"][0]["y"]).tolist() == found.counts.tolist()
    assert (value(app, "std"), value(app, "length")) == (f"{found.std:.4f}", f"{found.norm:.3f}")
    extremes = app.dataframe[0].value
    assert extremes["its length"].iloc[0] == found.row_norms.max()
    assert extremes["of length"].iloc[0] == found.row_norms.min()
    app = open_page(PAGE, inside=TENSOR, tensor=name, heights="linear")
    scales = [chart["layout"]["yaxis"].get("type") for chart in (figure, charts(app)[1])]
    assert scales == ["log", None]


def test_a_tensor_that_is_not_there_is_not_read(minilm: Bert) -> None:
    wrong = {"tensor": "../../config.json", "extreme-rows": "true"}
    app = open_page(PAGE, inside=TENSOR, **wrong)
    assert app.selectbox(key="tensor").value == "embeddings.word_embeddings.weight"
    extremes = app.dataframe[0].value
    for names, rows in (("longest", "its row"), ("shortest", "in row")):
        assert [minilm.vocabulary.tokens[row] for row in extremes[rows]] == [*extremes[names]]


def test_norms_of_the_token_table(minilm: Bert) -> None:
    app = open_page(PAGE, inside=NORMS, **{"kinds-table": "true"})
    _, figure = charts(app)
    words, norms = minilm.vocabulary, minilm.tables.word_norms
    marked = set()
    for kind, trace in enumerate(figure["data"]):
        ids = numbers(trace["x"])
        assert np.array_equal(numbers(trace["y"]), norms[ids])
        assert set(words.kinds[ids].tolist()) == {kind}
        marked |= set(ids.tolist())
    assert {norms.argmax(), norms.argmin(), *np.flatnonzero(words.is_special)} <= marked
    assert 200 < len(marked) < 1_000
    frame = app.dataframe[0].value
    assert frame["rows"].sum() == minilm.vocab_size
    unused = np.median(norms[words.kinds == KINDS.index("unused")])
    row = frame[frame["kind"] == "[unused]"].iloc[0]
    assert row["median length"] == pytest.approx(unused)
    assert (values(app, "count"), value(app, "median_unused")) == (["994"] * 2, f"{unused:.3f}")
    untrained, trained = (norms[words.kinds == KINDS.index(kind)] for kind in ("unused", "word"))
    assert value(app, "share") == f"{np.mean(trained > np.quantile(untrained, 0.99)):.2%}"
    (control,) = [group for group in app.button_group if group.key == "kinds"]
    shown = []
    for kinds in (["[unused]"], ["[unused]", "special"]):
        control.set_value(kinds).run()
        _, figure = charts(app)
        shown.append([trace["name"] for trace in figure["data"]])
        assert figure["layout"]["images"][0]["source"].startswith("data:image/png")
    assert shown == [["[unused] (994)"], ["[unused] (994)", "special (5)"]]


def test_pooler_by_one_click_then_by_itself(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, inside=POOLER, **{"pooler-table": "true"})
    assert len(charts(app)) == 1
    app.button(key="run_pooler").click().run()
    assert not app.exception
    text = tokenize(minilm_encoder.bert, "Sinan loves a beautiful day")
    steps = pooler_steps(minilm_encoder, text)
    assert value(app, "difference") == "exactly"
    assert value(app, "cosine") == f"{steps.cosine:.3f}"
    # Of the outputs; and of the numbers of a bias that was never trained.
    assert values(app, "count") == ["384", "384"]
    _, tanh, cls = charts(app)
    np.testing.assert_array_equal(numbers(tanh["data"][1]["x"]), steps.dense)
    np.testing.assert_array_equal(numbers(cls["data"][0]["x"]), steps.cls)
    np.testing.assert_array_equal(numbers(cls["data"][0]["y"]), steps.output)
    frame = app.dataframe[0].value
    np.testing.assert_array_equal(frame["after tanh"], frame["pooler_output"])
    app.text_input(key="pooled").set_value("another sentence").run()
    assert not [button for button in app.button if button.key == "run_pooler"]
    assert len(charts(app)) == 3


def test_training_by_one_click_then_by_itself(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, inside=TRAINING, **{"trained-table": "true"})
    assert len(charts(app)) == 1
    app.button(key="run_training").click().run()
    assert not app.exception
    pair = read_word_pair(minilm_encoder.bert, "The [king] spoke to the [queen]")
    found = backward_pass(minilm_encoder, pair.text, pair.first_positions, pair.second_positions)
    assert (value(app, "first"), value(app, "second")) == ("king", "queen")
    assert value(app, "cosine") == f"{found.cosine:.3f}"
    moved = [value(app, name) for name in ("words", "positions", "segments")]
    tables = [value(app, f"all_{name}") for name in ("words", "positions", "segments")]
    assert (moved, tables) == (["7", "8", "1"], ["30,522", "512", "2"])
    assert "exactly those this text uses" in said(app)
    assert value(app, "answer").startswith("No, none")
    assert [value(app, name) for name in ("fresh_length", "fresh_deviation")] == ["0.392", "0.014"]
    beside = app.dataframe[0].value
    for row, (name, table) in enumerate(
        (("word",) * 2, ("position",) * 2, ("segment", "token_type"))
    ):
        rows = getattr(minilm_encoder.bert.tables, f"{table}_embeddings").astype(np.float64)
        median = np.median(np.linalg.norm(rows, axis=1))
        assert value(app, f"length_{name}") == f"{median:.3f}"
        gradient = found.norm_of(f"embeddings.{table}_embeddings.")
        assert beside["gradient of this loss"][row] == pytest.approx(gradient)
    _, bars, rows = charts(app)
    drawn = numbers(bars["data"][0]["x"])
    assert len(drawn) == 4 + 6 + 1
    assert drawn[4] == pytest.approx(found.norm_of("encoder.layer.0."))
    assert drawn[-1] == 0
    np.testing.assert_array_equal(
        numbers(rows["data"][0]["y"]), found.word_rows[pair.text.input_ids]
    )
    app.text_input(key="beside").set_value("She is Zoe").run()
    assert (value(app, "segments"), value(app, "all_segments")) == ("2", "2")
    assert "exactly those" in said(app)
    app.text_input(key="alike").set_value("a [dog] [PAD] a [cat]").run()
    assert value(app, "padding_token") == "[PAD]"
    assert values(app, "tokens") == []
    assert "exactly those" not in said(app)
    app.text_input(key="alike").set_value("[dog] and [cat] " + "word " * 200).run()
    assert "tokens; a backward pass takes at most 128 here" in said(app)


def test_a_separator_that_config_json_calls_padding(mine: Path) -> None:
    """The row that stays is named by its id, whatever the tokenizer pads with."""
    settings = json.loads((mine / "config.json").read_text(encoding="utf-8"))
    settings["pad_token_id"] = VOCABULARY.index("[SEP]")
    (mine / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    app = open_page(PAGE, inside=TRAINING, alike="the [king] and a [queen]")
    app.button(key="run_training").click().run()
    assert value(app, "padding_token") == "[SEP]"
    assert "[PAD]" not in said(app)
    assert value(app, "answer").startswith("As far as their numbers show, yes")  # as drawn


def test_whether_unused_rows_are_as_drawn_is_told_of_the_model_in_use(mine: Path) -> None:
    assert "Nothing shows that training changed them" in said(open_page(PAGE, inside=NORMS))
    app = open_page(PAGE, inside=NORMS, model="all-MiniLM-L6-v2")
    assert "not what a fresh BERT begins with" in said(app)
    assert value(app, "cosine") == "0.82"
    assert int(value(app, "often").replace(",", "")) < int(value(app, "once").replace(",", ""))


def test_without_a_pooler(mine: Path) -> None:
    def headless(tensors: Tensors) -> Tensors:
        heads = {f"cls.{name}": np.zeros(3, np.float32) for name in ("bias", "weight")}
        return {k: v for k, v in tensors.items() if not k.startswith("pooler.")} | heads

    change_weights(mine, headless)
    app = open_page(PAGE, **{"every-parameter": "true"})
    assert "The file has no pooler" in said(app)
    assert values(app, "pooler") == []
    assert "Not counted, 2 of the file's tensors, as CSV" in downloads(app)
    assert "equal to the count of the file" in " ".join(c.value for c in app.caption)
    app = open_page(PAGE, inside=POOLER)
    assert "The file of mine has no pooler" in said(app)
    assert not [button for button in app.button if button.key == "run_pooler"]
    app = open_page(PAGE, inside=TRAINING, alike="the [king] and a [queen]")
    app.button(key="run_training").click().run()
    _, bars, _ = charts(app)
    assert len(numbers(bars["data"][0]["x"])) == 4 + 2  # no bar for a pooler

"""The sections below the heatmaps, headless: their numbers are the core's."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.calibration import calibration_sentences
from bertviz_core.contextual import explained
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import extreme_tokens
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.embeddings.rows import compare_rows
from bertviz_core.embeddings.shares import part_shares, waterfall
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize
from bertviz_core.ui.input_embeddings.results import shipped_sentences
from bertviz_core.ui.sections import DIMENSION, ORDER, ROWS, SHARES, SURVIVES
from tests.headless import charts, html, numbers, open_page, said, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/2_Input_Embeddings.py"
TEXT = "I love my pet python"


def test_which_part_contributes_how_much(minilm: Bert) -> None:
    app = open_page(PAGE, look=SHARES, token="5", dim="267")
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    shares = part_shares(minilm, parts).shares
    _, stacked, steps, brought, lengths, scores = charts(app)
    bars = [numbers(trace["y"]) for trace in stacked["data"] if trace["type"] == "bar"]
    assert np.array(bars) == pytest.approx(shares, abs=1e-6)
    assert value(app, "token_share") == f"{shares[0].mean():.0%}"
    assert value(app, "largest_share") == "70%"
    assert value(app, "bias_share") == f"{part_shares(minilm, parts).bias_shares.mean():.0%}"
    # The token in which position weighs most, then the one chosen.
    assert values(app, "token") == ["[CLS]", "python"]
    expected = waterfall(minilm, parts, 5, 267)
    _, after, contributions, _, ranked = (frame.value for frame in app.dataframe)
    assert after["number after it"].tolist() == expected.running.tolist()
    ends = [*expected.contributions, expected.output]
    assert contributions["brought to the output"].tolist() == ends
    assert numbers(steps["data"][1]["y"])[-1] == expected.output
    assert numbers(brought["data"][0]["y"])[-1] == pytest.approx(expected.output)
    assert len(lengths["data"]) == 5
    outliers = outlier_dimensions(minilm, parts).dimensions
    assert numbers(scores["data"][1]["x"]).tolist() == outliers.tolist()
    assert (value(app, "count"), value(app, "threshold")) == (str(len(outliers)), "6")
    assert ranked["dimension"][ranked["outlier"]].tolist() == outliers.tolist()
    app = open_page(PAGE, look=SHARES, sds="15")
    assert "No dimension lies beyond" in said(app)


def test_two_sentences_row_by_row(minilm: Bert) -> None:
    app = open_page(PAGE, look=ROWS, scale="one for all")
    assert "Type a sentence B above" in said(app)
    assert addresses(app)["I am Sinan / She is Zoe"] == {
        "a": ["I am Sinan"], "b": ["She is Zoe"], "look": [ROWS], "scale": ["one for all"],
    }  # fmt: skip
    app.text_input(key="a").set_value("I am Sinan")
    app.text_input(key="b").set_value("She is Zoe").run()
    sides = [value(app, name) for name in ("shared", "kept", "moved")]
    assert sides == ["[CLS] and [SEP]", "0 [CLS]", "[SEP] (A 5, B 4)"]
    a, b = tokenize(minilm, "I am Sinan"), tokenize(minilm, "She is Zoe")
    found = compare_rows(minilm, a, b)
    _, squares, heatmaps = charts(app)
    assert np.array_equal(numbers(squares["data"][0]["z"]), found.stages_kept)
    drawn = [numbers(trace["z"]) for trace in heatmaps["data"]]
    assert np.array_equal(drawn, found.differences[[0, 2, 3]])
    table = app.dataframe[0].value
    assert table["+ segment"].tolist() == ["equal", "equal"]
    assert table["+ position"].tolist() == ["equal", "differs"]
    lengths = app.dataframe[1].value["length of A − B, after LayerNorm"]
    assert lengths.tolist() == pytest.approx(np.linalg.norm(found.differences[3], axis=1))
    app.text_input(key="a").set_value("dog " * 600)
    app.text_input(key="b").set_value("dog cat " * 300).run()
    assert not app.exception
    assert values(app, "name") == ["The text", "Sentence A", "Sentence B"]
    assert values(app, "all")[1:] == ["602", "602"]
    assert (value(app, "pairs"), value(app, "most")) == ("262,144", "2,000")
    assert len(app.dataframe[0].value) == 2_000


def test_order_and_dropout_come_by_one_click_and_then_by_themselves() -> None:
    app = open_page(PAGE, look=ORDER, draws="5", dropseed="3")
    assert len(charts(app)) == 1
    app.button(key="orders").click().run()
    assert not app.exception
    assert set(values(app, "count")) == {"2,688"}
    assert value(app, "exact_orders") == "2"
    assert "Two runs in eval mode are equal to the last bit" in said(app)
    _, orders, heatmaps, curve = charts(app)
    gaps = numbers(orders["data"][0]["x"])
    assert (gaps == 0).tolist() == [True, False, True, False, False, False]
    evaluated, train, gap = (numbers(trace["z"]) for trace in heatmaps["data"])
    assert np.array_equal(gap, train - evaluated)
    share = float(value(app, "zero_share").removesuffix("%"))
    assert np.mean(train == 0) * 100 == pytest.approx(share, abs=0.05)
    measured = numbers(curve["data"][0]["y"])
    assert app.dataframe[1].value["distance of the mean so far from eval"].tolist() == (
        pytest.approx(measured.tolist(), rel=1e-6)
    )
    app.slider(key="draws").set_value(9).run()
    assert len(measured) == 5
    assert len(numbers(charts(app)[3]["data"][0]["y"])) == 9
    assert not [button for button in app.button if button.key == "orders"]


def test_one_dimension(minilm: Bert) -> None:
    text = "I love my python"
    query = {"look": DIMENSION, "a": text, "keep": "words", "ends": "7", "scale": "one for all"}
    app = open_page(PAGE, **query, dim="99")
    found = extreme_tokens(minilm, 99, 7, "words")
    _, highest, lowest, spread = charts(app)
    assert np.array_equal(numbers(highest["data"][0]["x"]), found.values[found.highest])
    assert np.array_equal(numbers(lowest["data"][0]["x"]), found.values[found.lowest])
    assert numbers(spread["data"][0]["y"]).sum() == found.candidates.sum()
    best = found.highest[0]
    assert value(app, "highest") == minilm.vocabulary.tokens[best]
    assert value(app, "high") == f"{found.values[best]:.3f}"
    ends, own = (frame.value for frame in app.dataframe)
    assert ends["token id"].tolist() == [*found.highest, *found.lowest]
    parts = input_embeddings(minilm, tokenize(minilm, text))
    assert np.array_equal(own["number in the token table"], parts.word[:, 99])
    assert np.array_equal(own["number after LayerNorm"], parts.output[:, 99])
    assert own["share of the vocabulary below"].between(0, 1).all()
    # A suggested dimension keeps the rest of the address.
    suggested = {label: link for label, link in addresses(app).items() if "outlier" in label}
    assert suggested
    for label, link in suggested.items():
        asked = query | {"dim": label.partition(",")[0]}
        assert link == {name: [text] for name, text in asked.items()}


def addresses(app: AppTest) -> dict[str, dict[str, list[str]]]:
    """The inputs in the address of each link that stays on this page, by its label."""
    found = re.findall(r'<a href="\?([^"]*)"[^>]*>(.*?)</a>', html(app))
    return {unescape(label): parse_qs(unescape(query)) for query, label in found}


def test_what_is_left_in_the_layers(
    tiny_encoder: Encoder, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a model that knows few words of the sentences, and so is quick."""
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    app = open_page(PAGE, look=SURVIVES, model="tiny")
    before = len(charts(app))
    app.button(key="run_survives").click().run()
    assert not app.exception
    found = explained.explained_variance(tiny_encoder, shipped_sentences())
    *_, areas = charts(app)
    assert len(charts(app)) == before + 1
    drawn = np.array([numbers(trace["y"]) for trace in areas["data"]])
    assert drawn == pytest.approx(np.vstack([found.added, found.rest]), abs=1e-6)
    assert value(app, "token_first") == f"{found.added[0, 0]:.0%}"
    assert value(app, "token_last") == f"{found.added[0, 2]:.0%}"
    assert value(app, "rest_last") == f"{found.rest[2]:.0%}"
    assert value(app, "sentences") == str(found.sentences)
    frame = app.dataframe[-1].value
    assert frame["position alone"].tolist() == pytest.approx(found.alone[1].tolist())
    assert frame["+ sentence"].tolist() == pytest.approx(found.added[2].tolist())


def test_shipped_sentences_are_all_files_without_marks() -> None:
    sentences = shipped_sentences()
    assert set(calibration_sentences()) < set(sentences)
    assert len(set(sentences)) == len(sentences) > 700
    assert "We ate our sandwiches on the grassy bank and watched the canoes go by." in sentences

"""The sections below the heatmaps, headless: their numbers, and any input."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import extreme_tokens
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.embeddings.rows import compare_rows
from bertviz_core.embeddings.shares import part_shares, waterfall
from bertviz_core.tokens import tokenize
from bertviz_core.ui.sections import DIMENSION, NUMBERS, ORDER, ROWS, SHARES
from tests.fresh_process import drive_app
from tests.headless import charts, html, numbers, open_page, said, value, values
from tests.hostile import HOSTILE, assert_harmless

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/2_Input_Embeddings.py"
TEXT = "I love my pet python"
SECTIONS = (NUMBERS, SHARES, ROWS, ORDER, DIMENSION)


def test_at_first_a_tokens_numbers_and_one_chart(minilm: Bert) -> None:
    app = open_page(PAGE, token="2")
    choice = app.segmented_control(key="look")
    assert choice.options == list(SECTIONS)
    assert choice.value == NUMBERS
    assert len(charts(app)) == 1
    assert len(app.dataframe) == 1
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    assert np.array_equal(app.dataframe[0].value["sum"], parts.summed[2])


def test_nothing_large_is_imported_before_the_heatmaps() -> None:
    """In a fresh process: the first table needs pandas, and stands below them."""
    drive_app(f"""
import streamlit as st
draw = st.plotly_chart
loaded = []
def drawn(*args, **kwargs):
    loaded.append(heavy() | ({{"pandas"}} & set(sys.modules)))
    return draw(*args, **kwargs)
st.plotly_chart = drawn
app.switch_page({PAGE!r}).run()
assert not app.exception
assert loaded == [set()], loaded
assert "pandas" in sys.modules
assert not heavy(), heavy()
""")


def test_whose_vector_is_it(minilm: Bert) -> None:
    app = open_page(PAGE, look=SHARES, token="5", dim="267")
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    shares = part_shares(minilm, parts).shares
    _, stacked, steps, brought, lengths, scores = charts(app)
    bars = [numbers(trace["y"]) for trace in stacked["data"] if trace["type"] == "bar"]
    assert np.array(bars) == pytest.approx(shares, abs=1e-6)
    first = app.dataframe[0].value
    total = first["token: share"] + first["segment: share"] + first["position: share"]
    assert total.tolist() == pytest.approx([1] * 7)
    assert value(app, "token_share") == f"{shares[0].mean():.0%}"
    assert value(app, "largest_share") == "70%"
    # The token in which position weighs most, then the one chosen.
    assert values(app, "position") == ["0", "5"]
    assert values(app, "token") == ["[CLS]", "python"]
    expected = waterfall(minilm, parts, 5, 267)
    table = app.dataframe[1].value
    assert table["number after it"].tolist() == expected.running.tolist()
    assert app.dataframe[2].value["brought to the output"].tolist() == [
        *expected.contributions,
        expected.output,
    ]
    assert value(app, "dimension") == "267"
    assert numbers(steps["data"][1]["y"])[-1] == expected.output
    assert numbers(brought["data"][0]["y"])[-1] == pytest.approx(expected.output)
    assert len(lengths["data"]) == 5
    outliers = outlier_dimensions(minilm, parts).dimensions
    assert numbers(scores["data"][1]["x"]).tolist() == outliers.tolist()
    assert value(app, "count") == str(len(outliers))
    assert value(app, "threshold") == "6"
    ranked = app.dataframe[4].value
    assert ranked["dimension"][: len(outliers)].tolist() == outliers.tolist()
    assert ranked["outlier"].sum() == len(outliers)


def test_no_outlier_beyond_a_high_threshold() -> None:
    app = open_page(PAGE, look=SHARES, sds="15")
    assert "No dimension lies beyond" in said(app)
    assert value(app, "threshold") == "15"
    assert values(app, "dimension")[-1] == "99"


def test_two_sentences_row_by_row(minilm: Bert) -> None:
    app = open_page(PAGE, look=ROWS, a="I am Sinan", b="She is Zoe")
    assert value(app, "shared") == "[CLS] and [SEP]"
    assert value(app, "kept") == "0 [CLS]"
    assert value(app, "moved") == "[SEP] (A 5, B 4)"
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


def test_two_sentences_without_a_second() -> None:
    app = open_page(PAGE, look=ROWS, scale="one for all")
    assert "Type a sentence B above" in said(app)
    assert addresses(app)["I am Sinan / She is Zoe"] == {
        "a": ["I am Sinan"], "b": ["She is Zoe"], "look": [ROWS], "scale": ["one for all"],
    }  # fmt: skip
    assert len(charts(app)) == 1


def test_two_long_sentences_say_what_is_cut() -> None:
    app = open_page(PAGE, look=ROWS)
    app.text_input(key="a").set_value("dog " * 600)
    app.text_input(key="b").set_value("dog cat " * 300)
    app.run()
    assert not app.exception
    assert values(app, "name") == ["The text", "Sentence A", "Sentence B"]
    assert values(app, "all")[1:] == ["602", "602"]
    assert value(app, "pairs") == "262,144"
    assert len(app.dataframe[0].value) == 2_000
    assert value(app, "most") == "2,000"


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
    assert len(measured) == 5
    app.slider(key="draws").set_value(9).run()
    assert len(numbers(charts(app)[3]["data"][0]["y"])) == 9
    assert not [button for button in app.button if button.key == "orders"]


def test_one_dimension(minilm: Bert) -> None:
    app = open_page(PAGE, look=DIMENSION, dim="99", k="7", keep="words")
    found = extreme_tokens(minilm, 99, 7, "words")
    _, highest, lowest, spread = charts(app)
    assert np.array_equal(numbers(highest["data"][0]["x"]), found.values[found.highest])
    assert np.array_equal(numbers(lowest["data"][0]["x"]), found.values[found.lowest])
    assert numbers(spread["data"][0]["y"]).sum() == found.candidates.sum()
    top = minilm.vocabulary.tokens[found.highest[0]]
    assert value(app, "highest") == top
    assert value(app, "high") == f"{found.values[found.highest[0]]:.3f}"
    ends, own = (frame.value for frame in app.dataframe)
    assert ends["token id"].tolist() == [*found.highest, *found.lowest]
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    assert np.array_equal(own["number in the token table"], parts.word[:, 99])
    assert np.array_equal(own["number after LayerNorm"], parts.output[:, 99])
    assert own["share of the vocabulary below"].between(0, 1).all()


def test_a_suggested_dimension_keeps_the_rest_of_the_address() -> None:
    query = {"look": DIMENSION, "a": "the cat", "keep": "words", "k": "7", "dims": "window",
             "scale": "one for all"}  # fmt: skip
    links = addresses(open_page(PAGE, **query, dim="5"))
    suggested = {label: link for label, link in links.items() if "outlier" in label}
    assert suggested
    for label, link in suggested.items():
        dimension = label.partition(",")[0]
        assert link == {name: [text] for name, text in query.items()} | {"dim": [dimension]}


@pytest.mark.parametrize("section", SECTIONS)
def test_any_input_in_any_section(section: str) -> None:
    app = open_page(PAGE, look=section, b="She is Zoe")
    for text in HOSTILE:
        app.text_input(key="a").set_value(text[:5000])
        app.text_input(key="b").set_value(text[::-1][:5000]).run()
        assert_harmless(app, text)
        assert len(charts(app)) >= 1, text
        for chart in app.get("plotly_chart"):
            assert len(chart.proto.alt) > 40, text


@pytest.mark.parametrize("section", [SHARES, DIMENSION])
def test_a_dimension_the_new_model_lacks(
    section: str, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    app = open_page(PAGE, look=section, dim="300")
    app.selectbox(key="model").set_value("tiny").run()
    assert not app.exception
    assert 0 <= app.number_input(key="dim").value < 8
    assert len(charts(app)) > 1


def addresses(app: AppTest) -> dict[str, dict[str, list[str]]]:
    """The inputs in the address of each link that stays on this page, by its label."""
    found = re.findall(r'<a href="\?([^"]*)"[^>]*>(.*?)</a>', html(app))
    return {unescape(label): parse_qs(unescape(query)) for query, label in found}


@pytest.mark.parametrize(("section", "names"), [
    (SHARES, ["shares", "waterfall", "layer-norm", "outliers"]),
    (ROWS, ["rows"]),
    (DIMENSION, ["dimension"]),
])  # fmt: skip
def test_every_section_offers_its_code(section: str, names: list[str]) -> None:
    unfolded = {f"code-{name}": "true" for name in names}
    app = open_page(PAGE, look=section, b="She is Zoe", **unfolded)
    shown = [block.value for block in app.code]
    assert len(shown) == len(names)
    assert all("BertModel.from_pretrained" in block for block in shown)

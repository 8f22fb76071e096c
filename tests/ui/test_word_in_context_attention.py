"""Word in Context, headless: what a word attends to, beside what taking words away changes."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.contextual.attention import WordAttention, agreement_with_changes, word_attention
from bertviz_core.contextual.occlusion import influence, occluded_contexts
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.ui import sections
from tests.headless import charts, numbers, open_page, said, unfolded, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches", "never_measured")

PAGE = "pages/4_Word_in_Context.py"
RIVER = "The old [bank] of the river was steep, so nobody sat there."


def river(**query: str) -> AppTest:
    return open_page(PAGE, deeper=sections.INFLUENCE, s=RIVER, anchors="shore", **query)


def computed(encoder: Encoder, removal) -> tuple[WordAttention, np.ndarray, object]:
    """Attention, changes at layer 4, and how they go together."""
    word, anchor = words_in_context(encoder, [RIVER, "shore"])
    changed = occluded_contexts(encoder, word, removal)
    changes = influence(word, changed, anchor)[4]
    attention = word_attention(encoder, word)
    weights = attention.to_words(changed.others)[:4]
    return attention, changes, agreement_with_changes(weights, changes, changed.others, word)


@pytest.mark.parametrize("removal", ["mask", "drop"])
def test_one_head_and_its_agreement(minilm_encoder: Encoder, removal) -> None:
    attention, changes, agreement = computed(minilm_encoder, removal)
    app = river(
        layer="4", head="3", heads="agreement", without=f"{removal} it", **unfolded("attention")
    )
    weights = attention.weights[3, 2]
    bars, grid = charts(app)[-2:]
    assert numbers(bars["data"][0]["y"]) == pytest.approx(weights, abs=1e-5)
    assert bars["layout"]["xaxis"]["ticktext"][3] == "<b>bank</b>"
    assert value(app, "most") == ["[CLS]", "the", "old", "bank"][int(weights.argmax())]
    assert value(app, "to-others") == f"{attention.shares[0, 3, 2]:.0%}"
    frame = app.dataframe[-1].value
    assert frame["attention"].tolist() == pytest.approx(weights, abs=1e-5)
    others = [i for i in range(1, 15) if i != 3]
    assert frame["change without its word"].iloc[others].tolist() == pytest.approx(
        changes, abs=1e-5
    )
    assert frame["change without its word"].isna().sum() == 3, "[CLS], [SEP] and the word itself"
    drawn = numbers(grid["data"][0]["z"])
    assert drawn[:4] == pytest.approx(agreement.correlations, abs=1e-4)
    assert np.isnan(drawn[4:]).all(), "layers above the chosen one have no say in it"
    shown = {name: value(app, name).replace("−", "-") for name in ("median", "own", "highest")}
    assert shown["median"] == f"{agreement.median:.2f}"
    assert shown["own"] == f"{agreement.correlations[3, 2]:.2f}"
    assert shown["highest"] == f"{agreement.correlations.max():.2f}"
    assert (
        int(value(app, "best-layer")) - 1,
        int(value(app, "best-head")) - 1,
    ) == agreement.highest
    assert float(value(app, "chance").rstrip("%")) == pytest.approx(
        100 * agreement.chance, abs=0.51
    )


def test_shares_of_all_heads(minilm_encoder: Encoder) -> None:
    attention, *_ = computed(minilm_encoder, "mask")
    app = river(heads="to [CLS]", **unfolded("head"))
    drawn = numbers(charts(app)[-1]["data"][0]["z"])
    assert drawn == pytest.approx(attention.shares[1], abs=1e-5)
    assert drawn.mean() > 0.5, "the embedded model sends most to [CLS]"
    frame = app.dataframe[-1].value
    assert len(frame) == 72
    assert frame["to [CLS]"].to_numpy() == pytest.approx(attention.shares[1].ravel(), abs=1e-5)
    assert (frame["layer"].iloc[13], frame["head"].iloc[13]) == (2, 2)
    app.slider(key="head").set_value(12).run()
    assert value(app, "head") == "12"


def test_of_few_words_no_correlation_is_shown() -> None:
    app = open_page(PAGE, deeper=sections.INFLUENCE, heads="agreement")
    assert (value(app, "others"), value(app, "fewest")) == ("4", "5")
    assert values(app, "median") == []
    assert charts(app)[-1]["data"][0]["type"] == "bar"
    app.text_area(key="s").set_value("I do love my pet [python]").run()
    assert not app.exception
    assert value(app, "others") == "5"
    assert len(values(app, "median")) == 1
    assert charts(app)[-1]["data"][0]["type"] == "heatmap"


def test_before_the_first_layer() -> None:
    app = river(layer="0")
    assert "nothing has attended yet" in said(app)
    assert not [field for field in app.slider if field.key == "head"]

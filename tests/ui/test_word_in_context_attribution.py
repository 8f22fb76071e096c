"""Word in Context, headless: what the rows of two sentences add to a similarity."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.contextual.attribution import (
    added_by_words,
    attribution,
    correlation_with_masking,
)
from bertviz_core.contextual.influence import changed_contexts, influence
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder, path_gradients
from bertviz_core.ui import sections
from tests.headless import charts, numbers, open_page, said, unfolded, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches", "never_measured")

PAGE = "pages/4_Word_in_Context.py"
RIVER = "The old [bank] of the river was steep, so nobody sat there."


def river(**query: str) -> AppTest:
    return open_page(
        PAGE,
        deeper=sections.ATTRIBUTION,
        s=RIVER,
        anchors="shore",
        **query,
        **unfolded("attribution"),
    )


def number(app: AppTest, name: str) -> float:
    return float(value(app, name).replace("−", "-"))


@pytest.mark.parametrize(("moving", "hold"), [("both sentences", False), ("only the word's", True)])
def test_shares_and_masking(minilm_encoder: Encoder, moving: str, hold: bool) -> None:
    app = river(layer="4", moving=moving)
    word, anchor = words_in_context(minilm_encoder, [RIVER, "shore"])
    found = attribution(minilm_encoder, word, anchor, 4, hold_anchor=hold)
    strip, beside = charts(app)[-2:]
    shares = found.shares[0] if hold else np.concatenate(found.shares, axis=1)
    for trace, expected in zip(strip["data"], shares, strict=True):
        assert numbers(trace["y"]) == pytest.approx(expected, abs=1e-4)
    assert strip["layout"]["xaxis"]["ticktext"][3] == "<b>bank</b>"
    frame = app.dataframe[-1].value
    assert len(frame) == 19
    assert frame["together"].sum() == pytest.approx(found.cosine - found.baseline, rel=0.01)
    assert number(app, "baseline") == pytest.approx(found.baseline, abs=6e-4)
    parts = [number(app, f"by-{part}") for part in ("token", "position", "segment")]
    assert sum(parts) == pytest.approx(number(app, "difference"), abs=4e-3)
    assert number(app, "difference") == pytest.approx(found.cosine - found.baseline, abs=6e-4)
    assert float(value(app, "error").rstrip("%")) < 1
    changed = changed_contexts(minilm_encoder, word)
    changes = influence(word, changed, anchor)[4]
    added = added_by_words(found.shares[0], changed.others)
    gradients, masking = (numbers(trace["y"]) for trace in beside["data"])
    assert gradients == pytest.approx(added, abs=1e-4)
    assert masking == pytest.approx(-changes, abs=1e-5)
    both = correlation_with_masking(added, changes)
    assert both is not None
    assert number(app, "correlation") == pytest.approx(both.value, abs=6e-3)
    assert float(value(app, "chance").rstrip("%")) == pytest.approx(100 * both.chance, abs=1.5)


def test_at_layer_0_only_the_words_have_shares() -> None:
    app = river(layer="0")
    frame = app.dataframe[-1].value
    assert frame.loc[frame["together"] != 0, "token"].tolist() == ["bank", "shore"]
    assert value(app, "baseline") == "1.000"
    assert "No rank correlation" in said(app)


def test_two_words_of_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for bound in ("FEWEST_NODES", "MOST_NODES"):
        monkeypatch.setattr(path_gradients, bound, 4)
    app = open_page(
        PAGE,
        deeper=sections.ATTRIBUTION,
        s="the [bank] by the [shore]",
        moving="only the word's",
        **unfolded("attribution"),
    )
    frame = app.dataframe[-1].value
    assert len(frame) in (7, 10), "with an anchor word its sentence as well"
    app.selectbox(key="against").set_value("2 shore").run()
    assert not app.exception
    assert len(app.dataframe[-1].value) == 7
    ticks = charts(app)[-2]["layout"]["xaxis"]["ticktext"]
    assert [tick for tick in ticks if tick.startswith("<b>")] == ["<b>bank</b>", "<b>shore</b>"]


def test_of_few_words_no_correlation_is_shown() -> None:
    app = open_page(PAGE, deeper=sections.ATTRIBUTION)
    assert (value(app, "others"), value(app, "fewest")) == ("4", "5")
    assert values(app, "correlation") == []


def test_a_lone_word_and_a_long_sentence() -> None:
    app = open_page(PAGE, deeper=sections.ATTRIBUTION, s="dog", anchors="cat")
    assert "no other word to take away" in said(app)
    app.text_area(key="s").set_value("a [dog] " + "cat " * 130).run()
    assert not app.exception
    assert "Shorten it" in said(app)

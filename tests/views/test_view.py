"""What views are made of: parts in their order, fields from signatures, cards of one table."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.figures.bars import neighbor_bars
from bertviz_core.views.card import MAX_LISTED, Bars, Curves, card, description
from bertviz_core.views.files import as_plain
from bertviz_core.views.parts import Overlay
from bertviz_core.views.view import picture, program, say
from tests.headless import unpacked
from tests.views.reading import IDS_PROGRAM, sent

BARS = neighbor_bars(["<b>"], np.float32([0.5]), score_name="cosine")


def test_a_saved_picture_has_what_lies_on_it() -> None:
    shown = picture(BARS, alt="One bar", name="bars")
    line = {"type": "scatter", "x": [0], "y": [1]}
    ring = {"type": "circle"}
    others = [Overlay(name, [line], [ring]) for name in ("bars", "b")]
    spec = as_plain(shown, others)
    assert [trace["type"] for trace in spec["data"]] == ["bar", "scatter"]
    assert spec["layout"]["shapes"] == [ring]
    assert len(BARS.to_dict()["data"]) == 1, "the page's own picture stays as it is"


COLUMNS = {"word": ["<b>", "dog"], "share": np.float32([0.25, 0.5]), "other": [0.5, 0.125]}
TWO = {"share": "#0072B2", "other": "#E69F00"}


CHARTS = {
    "beside": Bars("how much", TWO, ".0%"),
    "stacked": Bars("how much", TWO, ".0%", stacked=True),
    "curves": Curves("how much", TWO, ".0%", line=0.5),
}


@pytest.mark.parametrize("kind", CHARTS)
def test_the_chart_is_of_the_table(minilm: Bert, kind: str) -> None:
    columns = COLUMNS | {"word": [0, 1]} if kind == "curves" else COLUMNS
    view = card(
        say("{share:.0%}", share=0.25, method="padding"),
        name="card",
        columns=columns,
        chart=CHARTS[kind],
        program=program(IDS_PROGRAM, minilm, name="tokens", token_ids=[1]),
    )
    figure = sent(view, "card")
    layout = figure["layout"]
    assert [trace["y"] for trace in figure["data"]] == [[0.25, 0.5], [0.5, 0.125]]
    assert [trace["x"] for trace in figure["data"]] == [[0, 1]] * 2
    assert layout.get("barmode") == {"stacked": "relative", "beside": "group"}.get(kind)
    assert [shape["y0"] for shape in layout.get("shapes", [])] == [0.5] * (kind == "curves")
    if kind != "curves":
        assert layout["xaxis"]["ticktext"] == ["&lt;b&gt;", "dog"]
        assert "dog 0.5" in view.pictures["card"].alt
    assert view.to_frame()["other"].tolist() == [0.5, 0.125]


def test_a_log_axis_leaves_out_what_is_0() -> None:
    columns = {"layer": [0, 1], "difference": [0.0, 0.5]}
    chart = Curves("how much", {"difference": "#000000"}, axis={"type": "log"})
    (trace,) = unpacked(chart.figure(columns).to_dict())["data"]
    assert np.isnan(trace["y"]).tolist() == [True, False]
    assert "0 0, 1 0.5" in description(columns, chart)


def test_a_band_around_the_first_curve_and_stars_on_it() -> None:
    columns = {"layer": [0, 6], "AUC": [0.5, 0.75], "from": [0.25, 0.5], "to": [0.75, 1.0]}
    look, band = {"AUC": "#000000", "from": "#000000"}, ("from", "to", "95% interval", "#000000")
    chart = Curves("AUC", look, stars=[6], band=band)
    around, first, second = unpacked(chart.figure(columns).to_dict())["data"]
    assert (around["x"], around["y"]) == ([0, 6, 6, 0], [0.75, 1.0, 0.5, 0.25])
    assert (first["x"], first["marker"]["symbol"]) == ([0, 6], ["circle", "star"])
    assert "symbol" not in second["marker"]


def test_of_many_numbers_the_ends_are_said() -> None:
    columns = {"position": np.arange(MAX_LISTED + 1), "length": np.arange(MAX_LISTED + 1) / 10}
    text = description(columns, Bars("length", {"length": "#000000"}))
    assert text == "Length by position. length, lowest and highest: 0 0, 8 0.8."

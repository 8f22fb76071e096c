"""Cards: the chart, the table and what is said of the chart are the same numbers."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.views.card import MAX_SAID, Chart, card, drawn, in_words
from bertviz_core.views.parts import program, say
from bertviz_core.views.tokens.vocabulary import IDS_PROGRAM
from tests.headless import unpacked
from tests.views.reading import sent

COLUMNS = {"word": ["<b>", "dog"], "share": np.float32([0.25, 0.5]), "other": [0.5, 0.125]}
TWO = {"share": "#0072B2", "other": "#E69F00"}


@pytest.mark.parametrize("kind", ["columns", "stacked", "rows", "curves"])
def test_the_chart_is_of_the_table(minilm: Bert, kind: str) -> None:
    columns = COLUMNS | {"word": [0, 1]} if kind == "curves" else COLUMNS
    view = card(
        say("{share:.0%}", share=0.25, method="padding"),
        name="card",
        columns=columns,
        chart=Chart(kind, "how much", TWO, ".0%", line=0.5),
        program=program(IDS_PROGRAM, minilm, name="tokens", token_ids=[1]),
    )
    figure = sent(view, "card")
    traces, layout = figure["data"], figure["layout"]
    along, across = ("y", "x") if kind == "rows" else ("x", "y")
    assert [trace[across] for trace in traces] == [[0.25, 0.5], [0.5, 0.125]]
    assert [trace[along] for trace in traces] == [[0, 1]] * 2
    assert layout["barmode"] == ("relative" if kind == "stacked" else "group")
    assert layout["shapes"][0][f"{across}0"] == 0.5
    if kind != "curves":
        assert layout[f"{along}axis"]["ticktext"] == ["&lt;b&gt;", "dog"]
    assert "dog 0.5" in view.pictures["card"].alt or kind == "curves"
    assert view.to_frame()["other"].tolist() == [0.5, 0.125]


def test_a_log_axis_leaves_out_what_is_0() -> None:
    columns = {"layer": [0, 1], "difference": [0.0, 0.5]}
    chart = Chart("curves", "how much", {"difference": "#000000"}, axis={"type": "log"})
    (trace,) = unpacked(drawn(columns, chart).to_dict())["data"]
    assert np.isnan(trace["y"]).tolist() == [True, False]
    assert "0 0, 1 0.5" in in_words(columns, chart)


def test_a_band_around_the_first_curve_and_stars_on_it() -> None:
    columns = {"layer": [0, 6], "AUC": [0.5, 0.75], "from": [0.25, 0.5], "to": [0.75, 1.0]}
    look, band = {"AUC": "#000000", "from": "#000000"}, ("from", "to", "95% interval", "#000000")
    chart = Chart("curves", "AUC", look, stars=[6], band=band)
    around, first, second = unpacked(drawn(columns, chart).to_dict())["data"]
    assert (around["x"], around["y"]) == ([0, 6, 6, 0], [0.75, 1.0, 0.5, 0.25])
    assert (first["x"], first["marker"]["symbol"]) == ([0, 6], ["circle", "star"])
    assert "symbol" not in second["marker"]


def test_of_many_numbers_the_ends_are_said() -> None:
    columns = {"position": np.arange(MAX_SAID + 1), "length": np.arange(MAX_SAID + 1) / 10}
    said = in_words(columns, Chart("columns", "length", {"length": "#000000"}))
    assert said == "Length by position. length, lowest and highest: 0 0, 8 0.8."

"""The page on positions and segments, headless."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.positions.baselines import sinusoidal_table
from bertviz_core.positions.changes import CHANGES, change_by_layer, changed_text
from bertviz_core.positions.table import analyse_positions
from bertviz_core.tokens import tokenize
from bertviz_core.ui.sections import (
    DISTANCE,
    EXPERIMENTS,
    LENGTHS,
    ONE_POSITION,
    SEGMENT_TABLE,
    SINUSOIDS,
)
from tests.data.odd_checkpoints import ODD
from tests.headless import charts, html, numbers, open_page, said, unfolded, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/6_Positions_and_Segments.py"
AMOUNTS = {"shuffle": ["order"], "shift": ["shift"]}  # the sliders of each change


def run_model(app: AppTest) -> AppTest:
    app.button(key="run_change").click().run()
    assert not app.exception
    return app


def test_the_position_table(minilm: Bert) -> None:
    app = open_page(PAGE, row="300", column="310", part="position table")  # an old link
    similarity = analyse_positions(minilm.tables.position_embeddings).similarity
    assert (value(app, "row"), value(app, "column")) == ("300", "310")
    assert value(app, "cosine") == f"{similarity[300, 310]:.3f}"
    assert (value(app, "next_door"), value(app, "count")) == ("511", "512")
    picture, window = charts(app)
    assert picture["data"][0]["type"] == "image"
    assert picture["layout"]["shapes"][0]["x0"] == 277.5
    assert np.array_equal(numbers(window["data"][0]["z"]), similarity[268:332, 278:342])


def test_the_sections_on_rows(minilm: Bert) -> None:
    app = open_page(PAGE, row="300", part=ONE_POSITION, components="5 and 6")
    similarity = analyse_positions(minilm.tables.position_embeddings).similarity
    row = charts(app)[2]
    assert np.array_equal(numbers(row["data"][0]["y"]), similarity[300])
    (neighbors,) = (frame.value for frame in app.dataframe)
    assert neighbors["cosine"].is_monotonic_decreasing
    assert (value(app, "most"), len(neighbors)) == (str(neighbors["position"][0]), 10)
    assert value(app, "least") == str(similarity[300].argmin())
    app.segmented_control(key="part").set_value(DISTANCE).run()
    shares = [
        value(app, name)
        for name in ("explained", "by_chance", "by_smoothness", "next_door_by_chance")
    ]
    assert shares == ["49%", "0.4%", "87%", "0.4%"]
    assert len(numbers(charts(app)[2]["data"][0]["y"])) == 511
    app.segmented_control(key="part").set_value(LENGTHS).run()
    norms, path = charts(app)[2:]
    assert len(numbers(norms["data"][0]["y"])) == len(numbers(path["data"][0]["x"])) == 512
    assert path["layout"]["xaxis"]["title"]["text"].startswith("component 5")


def test_are_they_sinusoids(minilm: Bert) -> None:
    tables = {"row": 512, "both-distance": 511, "pattern": 64, "wave": 256, "path": 512}
    app = open_page(PAGE, part=SINUSOIDS, row="7", **unfolded(*tables))
    assert {len(frame.value) for frame in app.dataframe} >= set(tables.values())
    assert "smooth, but no more like sinusoids" in value(app, "answer")
    assert (value(app, "rotation"), value(app, "rotation_spectrum")) == ("25%", "44–45%")
    waves = [value(app, name) for name in ("share", "share_sinusoids", "share_walk")]
    assert waves == ["65%", "60%", "94%"]
    patterns = next(
        c for c in charts(app) if c["layout"]["yaxis"]["title"]["text"] == "share in common"
    )
    assert len([trace for trace in patterns["data"] if trace.get("fill") == "toself"]) == 5
    drawn = charts(app)
    assert len([c for c in drawn if c["data"][0]["type"] == "image"]) == 5  # one of the headline
    rows = next(c for c in drawn if c["layout"]["yaxis"]["title"]["text"] == "cosine to position 7")
    computed = analyse_positions(sinusoidal_table(512, 384)).similarity
    assert np.array_equal(numbers(rows["data"][1]["y"]), computed[7])
    frame = app.dataframe[0].value
    assert frame["likeness to the sinusoids"].tolist() == [
        "this model", "same spectrum and covariances", "same spectrum", "random walk",
        "its rows shuffled", "random numbers",
    ]  # fmt: skip
    assert frame["R² lowest"].round(2).tolist()[:4] == [0.25, 0.24, 0.44, 0.57]
    assert frame["R² highest"].round(2).tolist()[:4] == [0.25, 0.25, 0.45, 0.58]
    assert frame["10 patterns, share in common"].round(2).tolist()[:3:2] == [0.39, 0.39]
    assert frame["step to the next row"][0] == pytest.approx(0.188, abs=0.001)
    app.slider(key="patterns").set_value(3).run()
    assert "3 patterns, share in common" in app.dataframe[0].value


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        (DISTANCE, {"frame": 64, "distance": 511}),
        (LENGTHS, {"position": 512}),
        (SEGMENT_TABLE, {"segment": 384}),
    ],
)
def test_tables_that_are_unfolded(part: str, rows: dict[str, int]) -> None:
    folded = open_page(PAGE, part=part).dataframe
    counts = [len(frame.value) for frame in open_page(PAGE, part=part, **unfolded(*rows)).dataframe]
    assert len(counts) == len(folded) + len(rows)
    assert set(rows.values()) <= set(counts)


def test_the_segment_table(minilm: Bert) -> None:
    app = open_page(PAGE, part=SEGMENT_TABLE)
    assert values(app, "cosine")[1] == "0.942"
    rows, difference = charts(app)[2:]
    table = minilm.tables.token_type_embeddings
    assert np.array_equal(numbers(rows["data"][0]["z"]), table)
    assert np.array_equal(numbers(difference["data"][0]["z"])[0], table[1] - table[0])


@pytest.mark.parametrize("change", CHANGES)
def test_experiments_draw_the_cores_numbers(minilm_encoder: Encoder, change) -> None:
    query = {"part": EXPERIMENTS, "change": change, "token-numbers": "true"}
    app = open_page(PAGE, **query, order="5", shift="40")
    assert len(charts(app)) == 2
    assert [one.key for one in app.slider] == ["row", "column", *AMOUNTS.get(change, ())]
    run_model(app)
    bert = minilm_encoder.bert
    text = tokenize(bert, "The dog bites the man.", "He runs away.")
    changed = changed_text(bert, text, change, shift=40, order=5)
    moved = change_by_layer(
        minilm_encoder.hidden_states(text),
        minilm_encoder.hidden_states(changed),
    )
    heatmap, curves = charts(app)[2:]
    assert np.abs(numbers(heatmap["data"][0]["z"]) - moved.T).max() < 1e-5
    assert value(app, "moved") == f"{moved[-1].mean():.3f}"
    assert len(curves["data"]) == 5
    assert numbers(curves["data"][0]["y"]) == pytest.approx(moved.mean(axis=1), abs=1e-5)
    tokens = next(frame.value for frame in app.dataframe if "new position" in frame.value)
    assert tokens["new position"].tolist() == changed.position_ids.tolist()


def test_a_long_text_leaves_little_room_for_a_shift() -> None:
    app = run_model(open_page(PAGE, part=EXPERIMENTS, change="shift"))
    app.slider(key="shift").set_value(490).run()
    app.text_input(key="xa").set_value("dog " * 100).run()
    assert not app.exception
    assert app.slider(key="shift").value == 100
    assert value(app, "change") == "Shifting all positions by 100"
    app.text_input(key="xa").set_value("dog " * 600).run()
    assert not app.exception
    assert "no room to shift it" in " ".join(caption.value for caption in app.caption)
    assert value(app, "cut") == "95"
    heatmap, curves = charts(app)[2:]
    assert numbers(heatmap["data"][0]["z"]).shape == (512, 7)
    # A shift of 0 is no change, and says so by its number.
    shifted = next(c for c in curves["data"] if c["name"] == "positions shifted by 0")
    assert numbers(shifted["y"]).max() < 1e-6


def test_nothing_to_shuffle() -> None:
    app = run_model(open_page(PAGE, part=EXPERIMENTS, change="shuffle"))
    app.text_input(key="xa").set_value(" ")
    app.text_input(key="xb").set_value("").run()
    assert "nothing to shuffle" in said(app)
    assert len(charts(app)) == 2


def test_a_model_of_one_segment(mine: Path) -> None:
    ODD["one_segment"](mine)
    app = open_page(PAGE, part=SEGMENT_TABLE)
    assert "mine has a segment table of one row" in said(app)
    app = open_page(PAGE, part=EXPERIMENTS, xb="")
    app.text_input(key="xb").set_value("").run()
    run_model(app)
    assert len(charts(app)) == 4
    assert "bx-alert" not in html(app)
    assert "no segment can be flipped" in said(app)

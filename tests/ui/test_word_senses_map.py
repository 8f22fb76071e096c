"""The map of Word Senses, headless: what its axes say, and how far it can be trusted."""

import json
import re
from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.encoder import Encoder
from bertviz_core.senses import nearest_occurrences, prepared_set, sense_vectors
from bertviz_core.senses.projection import layer_frame, shared_frame, tsne_map
from bertviz_core.senses.trust import trust
from bertviz_core.ui import sections
from tests.headless import charts, html, open_page, said, value

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")
PAGE = "pages/5_Word_Senses.py"


def test_the_axes_name_the_share_of_what_is_drawn() -> None:
    """At layer 6 the frame of all layers shows 12% of the variance, a map of its own 33%."""
    for kind, shares in (("all layers", ("10%", "3%")), ("this layer", ("21%", "12%"))):
        layout = charts(open_page(PAGE, map=kind))[0]["layout"]
        titles = [layout[axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
        end = "of the variance at layer 6)"
        assert titles == [f"PC {i} ({share} {end}" for i, share in enumerate(shares, start=1)]


def test_how_far_the_map_can_be_trusted(minilm_encoder: Encoder) -> None:
    vectors = sense_vectors(minilm_encoder, prepared_set("crane").occurrences).vectors
    maps = {
        "all layers, with drift": shared_frame(vectors, keep_drift=True).points[:, 6],
        "t-SNE": tsne_map(vectors[:, 6]),
    }
    for kind, points in maps.items():
        measured = trust(vectors[:, 6], points)
        app = open_page(PAGE, set="crane", map=kind)
        assert "On average the map keeps" in said(app)  # the lines are of one occurrence
        assert value(app, "map_nearest") == "10"
        assert value(app, "map_kept") == f"{10 * measured.kept.mean():.1f}"
        assert value(app, "map_trust") == f"{measured.trustworthiness:.2f}"
        assert value(app, "map_chance") == "3.7"
    # A map that keeps hardly more than chance says so.
    assert value(open_page(PAGE, set="crane", map="all layers, with drift"), "map_kept") == "3.9"


def lines(app: AppTest) -> list[dict]:
    (text,) = re.findall(r'data-chart="chart_senses-pca" data-lines="([^"]*)"', html(app))
    return json.loads(unescape(text))


def test_lines_lead_to_the_nearest_of_the_chosen_one(minilm_encoder: Encoder) -> None:
    vectors = sense_vectors(minilm_encoder, prepared_set("bank").occurrences).vectors[:, 6]
    points = layer_frame(vectors).points
    app = open_page(PAGE, map="this layer", near="5", senses=sections.NEAREST)
    assert value(app, "map_point") == "5"
    *leading, ring = lines(app)
    assert [ring["xanchor"], ring["yanchor"]] == pytest.approx(points[4].tolist(), abs=1e-5)
    drawn = {(round(line["x1"], 3), round(line["y1"], 3)): line for line in leading}
    nearest, _ = nearest_occurrences(vectors, 4)
    ends = [tuple(points[row].round(3).tolist()) for row in nearest]
    assert {(round(x, 3), round(y, 3)) for x, y in ends} == set(drawn)
    distances = np.linalg.norm(points - points[4], axis=1)
    limit = np.sort(distances)[10]  # the first is the point itself
    solid = [drawn[round(x, 3), round(y, 3)]["line"].get("dash") is None for x, y in ends]
    assert solid == (distances[nearest] <= limit).tolist()
    assert value(app, "map_close") == str(sum(solid))
    assert value(app, "map_far") == str(10 - sum(solid))
    (table,) = [frame.value for frame in app.dataframe if "rank on the map" in frame.value]
    assert (table["rank on the map"] <= 10).tolist() == solid  # the lines' numbers
    before = charts(app)[0]
    app.slider(key="near").set_value(6).run()
    assert value(app, "map_point") == "6"
    assert lines(app)[0]["x0"] == pytest.approx(float(points[5, 0]), abs=1e-5)
    assert charts(app)[0] == before  # a figure that changed would lose its zoom and its selection

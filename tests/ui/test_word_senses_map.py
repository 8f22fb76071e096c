"""The map of Word Senses, headless: what its axes say, and how far it can be trusted."""

import pytest

from bertviz_core.encoder import Encoder
from bertviz_core.senses import prepared_set, sense_vectors
from bertviz_core.senses.projection import shared_frame, tsne_map
from bertviz_core.senses.trust import trust
from tests.headless import charts, open_page, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGE = "pages/5_Word_Senses.py"


def test_the_axes_name_the_share_of_what_is_drawn() -> None:
    """At layer 6 the frame of all layers shows 12% of the variance, a map of its own 33%."""
    titles = {
        kind: [charts(open_page(PAGE, map=kind))[0]["layout"][axis]["title"]["text"]
               for axis in ("xaxis", "yaxis")]
        for kind in ("all layers", "this layer")
    }  # fmt: skip
    end = "of the variance at layer 6)"
    assert titles["all layers"] == [f"PC 1 (10% {end}", f"PC 2 (3% {end}"]
    assert titles["this layer"] == [f"PC 1 (21% {end}", f"PC 2 (12% {end}"]


def test_how_far_the_map_can_be_trusted(minilm_encoder: Encoder) -> None:
    vectors = sense_vectors(minilm_encoder, prepared_set("crane").occurrences).vectors
    maps = {
        "all layers, with drift": shared_frame(vectors, keep_drift=True).points[:, 6],
        "t-SNE": tsne_map(vectors[:, 6]),
    }
    for kind, points in maps.items():
        measured = trust(vectors[:, 6], points)
        app = open_page(PAGE, set="crane", map=kind)
        assert values(app, "map_nearest") == ["10", "10"]
        assert value(app, "map_kept") == f"{10 * measured.kept.mean():.1f}"
        assert value(app, "map_trust") == f"{measured.trustworthiness:.2f}"
        assert value(app, "map_chance") == "3.7"
    # A map that keeps hardly more than chance says so.
    assert value(open_page(PAGE, set="crane", map="all layers, with drift"), "map_kept") == "3.9"

"""Word Senses, headless: the scores by labels, what else explains them, and groups."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.encoder import Encoder
from bertviz_core.senses import (
    SenseScores,
    SenseVectors,
    agreement,
    group,
    prepared_set,
    sense_scores,
    sense_vectors,
    shuffled_agreement,
)
from bertviz_core.senses.groups import UNCLEAR
from bertviz_core.senses.pairs import MOST_SCORED
from bertviz_core.ui import sections
from bertviz_core.ui.word_senses.sources import OWN, TEXT, VECTORS
from tests.data.vector_files import npz_file, rows_of
from tests.data.vector_files import numbers as numbers_at_random
from tests.headless import charts, numbers, open_page, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")
PAGE = "pages/5_Word_Senses.py"
AUC, ARI = "AUC of pairs", "agreement with labels"


@pytest.fixture(scope="module")
def mouse(minilm_encoder: Encoder) -> SenseVectors:
    return sense_vectors(minilm_encoder, prepared_set("mouse").occurrences)


@pytest.fixture(scope="module")
def scores(mouse: SenseVectors) -> SenseScores:
    return sense_scores(mouse.vectors, [one.sense for one in mouse.occurrences])


def titled(app: AppTest, title: str) -> dict:
    """The first chart whose vertical axis has a title."""
    return next(one for one in charts(app) if one["layout"]["yaxis"]["title"]["text"] == title)


def table_with(app: AppTest, column: str):
    return next(frame.value for frame in app.dataframe if column in frame.value)


def own_lines(*lines: str, section: str = sections.GROUPS) -> AppTest:
    given = {"senseword": "bat", "lines": "\n".join(lines), "layer-numbers": "true"}
    return open_page(PAGE, senses=section, **{"from": OWN}, **given)


def test_the_headline_is_the_score_by_labels(scores: SenseScores) -> None:
    app = open_page(PAGE, set="mouse")
    assert len(charts(app)) == 1
    auc = scores.auc
    assert (value(app, "layer"), value(app, "auc")) == ("3", f"{auc.values[3]:.2f}")
    assert value(app, "as_good") == "layers 4, 5 and 6"
    app = open_page(PAGE, set="mouse", senses=sections.SCORES, **{"score-numbers": "true"})
    assert (value(app, "best"), value(app, "auc_best")) == ("3", f"{auc.values[3]:.2f}")
    said = {name: value(app, name) for name in ("low", "high", "chance", "auc_input")}
    assert said == {
        "low": f"{auc.low[3]:.2f}", "high": f"{auc.high[3]:.2f}",
        "chance": f"{auc.chance.best:.2f}", "auc_input": f"{auc.values[0]:.2f}",
    }  # fmt: skip
    assert (value(app, "right"), value(app, "scored"), value(app, "accuracy_low")) == (
        "28", "28", "88%",
    )  # fmt: skip
    assert value(app, "rivals") == "layers 4, 5 and 6"
    curve = titled(app, AUC)["data"]
    assert numbers(curve[-1]["y"]) == pytest.approx(auc.values)
    assert numbers(curve[2]["y"]) == pytest.approx(np.full(7, auc.chance.best))
    table = table_with(app, "AUC from")
    assert table["AUC to"].tolist() == pytest.approx(auc.high)
    assert table["centroid, shuffled"].tolist() == pytest.approx(scores.accuracy.chance.by_layer)


def test_position_is_named_where_the_cosine_follows_it() -> None:
    app = open_page(PAGE, set="mouse", senses=sections.CHEAPER, **{"cheaper-numbers": "true"})
    assert value(app, "closest") == "position in the sentence"
    assert (value(app, "closest_auc"), value(app, "sense_auc")) == ("0.71", "0.80")
    assert (value(app, "alone"), value(app, "held")) == ("0.52", "0.79")
    held = table_with(app, "held equal")
    assert held["held equal"].tolist() == ["position in the sentence", "length of the sentence"]
    assert (held["from"] < held["sense AUC"]).all()
    assert held["sense AUC"].min() == pytest.approx(0.786, abs=2e-3)
    compared = next(one for one in charts(app) if one["data"][0]["name"] == "sense")
    by_layer = table_with(app, "sense, equal position in the sentence")
    for trace in compared["data"]:
        assert by_layer[trace["name"]].tolist() == pytest.approx(numbers(trace["y"]))


def test_the_number_of_groups_is_the_readers_choice(mouse: SenseVectors) -> None:
    senses = [one.sense for one in mouse.occurrences]
    proposed = [group(mouse.vectors[:, layer]) for layer in range(7)]
    opened = {"set": "mouse", "senses": sections.GROUPS, "layer-numbers": "true"}
    app = open_page(PAGE, **opened)
    found = [agreement(groups, senses) for groups in proposed]
    best = int(np.argmax(found))
    assert (value(app, "clearest"), value(app, "score")) == (str(best), f"{found[best]:.2f}")
    assert value(app, "groups_chance") == f"{shuffled_agreement(proposed, senses).best:.2f}"
    assert not values(app, "reached"), "better than shuffled labels"
    assert value(app, "silhouette") == f"{proposed[best].silhouette:.2f}"
    assert proposed[best].weak
    assert (value(app, "as_many"), value(app, "at")) == ("1.00", "layers 2 and 3")
    assert table_with(app, "proposed")["groups"].tolist() == [one.count for one in proposed]
    two = open_page(PAGE, groups="2", colour="group", layer="3", **opened)
    assert (value(two, "clearest"), value(two, "others")) == ("2", "layer 3")
    assert (value(two, "score"), values(two, "as_many")) == ("1.00", [])
    numbers_of_two = table_with(two, "proposed")
    assert numbers_of_two["groups"].tolist() == [2] * 7
    assert numbers_of_two["proposed"].tolist() == [one.count for one in proposed]
    assert numbers_of_two["agreement"].tolist() == pytest.approx(
        numbers(titled(two, ARI)["data"][-1]["y"])
    )
    assert [len(trace["customdata"]) for trace in charts(two)[0]["data"][:2]] == [14, 14]


def test_groups_that_fit_the_labels_no_better_than_chance_are_said_to() -> None:
    """Random vectors: k-means finds groups, the labels are another division."""
    vectors = numbers_at_random(40, 3, 32)
    content = npz_file(vectors=vectors, layers=[0, 4, 11], sense=["a", "b"] * 20, **rows_of(40))
    app = open_page(PAGE, **{"from": VECTORS})
    app.file_uploader(key="vectors").set_value(("x.npz", content, "application/zip")).run()
    app.get_by_key("senses").set_value(sections.GROUPS).run()
    assert not app.exception
    assert float(value(app, "score")) <= float(value(app, "reached"))
    assert value(app, "reached") == value(app, "groups_chance")
    assert float(value(app, "silhouette")) <= UNCLEAR
    assert value(app, "unclear") == "0.25"


def test_own_lines_without_labels_show_silhouettes() -> None:
    app = open_page(PAGE, **{"from": OWN, "occurrence-numbers": "true"})
    assert value(app, "word") == "light"
    assert int(value(app, "groups")) > 1
    assert (float(value(app, "score")) <= UNCLEAR) == bool(values(app, "unclear"))
    assert not values(app, "auc")
    assert "sense" not in app.dataframe[-1].value
    (scatter,) = charts(app)
    assert sum(len(trace.get("customdata", [])) for trace in scatter["data"]) == 8
    assert scatter["data"][0]["name"] == "group 1"
    app = open_page(PAGE, senses=sections.GROUPS, **{"from": OWN})
    assert value(app, "clearest") != "0"  # where they differ only by position and form
    assert len(titled(app, "mean silhouette")["data"]) == 1
    app = open_page(PAGE, senses=sections.CHEAPER, **{"from": OWN})
    # Eight lines of one form: at the input embedding, near positions are all there is.
    assert (value(app, "closest"), value(app, "closest_input")) == (
        "position in the sentence", "1.00",
    )  # fmt: skip
    app = open_page(PAGE, senses=sections.SCORES, **{"from": OWN})
    assert len(charts(app)) == 1  # without labels there is no such section


@pytest.mark.parametrize("apart", [0, 9])
def test_noise_forms_no_clear_groups(apart: int) -> None:
    """k-means splits noise as well, with a mean silhouette near 0."""
    vectors = numbers_at_random(40, 3, 32)
    vectors[:20, :, 0] += apart
    app = open_page(PAGE, **{"from": VECTORS})
    content = npz_file(vectors=vectors, layers=[0, 4, 11], **rows_of(40))
    app.file_uploader(key="vectors").set_value(("x.npz", content, "application/zip")).run()
    app.get_by_key("senses").set_value(sections.GROUPS).run()
    assert not app.exception
    scores = [float(score) for score in values(app, "score")]
    assert len(scores) == 2  # at the layer in view, and of all layers
    assert [score <= UNCLEAR for score in scores] == [not apart] * 2
    assert values(app, "unclear") == ([] if apart else ["0.25"] * 2)
    app.get_by_key("groups").set_value("5").run()  # of five, neither is clear
    assert not app.exception
    assert values(app, "unclear") == ["0.25"] * 2
    assert values(app, "groups")[:2] == ["5"] * 2


def test_labels_that_make_no_pairs_leave_the_groups() -> None:
    app = own_lines("sense\tsentence", "a\ta bat flew", "b\tthe old bat", "c\ton the bat")
    assert not values(app, "auc")
    assert value(app, "clearest")
    one = own_lines("sense\tsentence", *(f"a\tno {'very ' * i}old bat" for i in range(4)))
    assert not values(one, "auc")
    assert table_with(one, "agreement, shuffled")["agreement"].notna().all()


def test_labels_without_the_header_are_pointed_out() -> None:
    lines = ["animal\ta bat flew", "animal\tthe bat slept", "sport\tswing the bat"]
    app = own_lines(*lines)
    assert (value(app, "tabbed"), value(app, "tabbed_of")) == ("3", "3")
    assert not values(app, "auc")
    app = own_lines("sense\tsentence", *lines)
    assert (len(values(app, "auc")), values(app, "tabbed")) == (1, [])
    assert not values(own_lines(*lines, "no tab, but a bat"), "tabbed")


def test_shuffled_lines_do_not_beat_chance() -> None:
    lines = [f"{'ab'[i // 2 % 2]}\tthe bat" + " flew" * i for i in range(8)]
    app = own_lines("sense\tsentence", *lines, section=sections.SCORES)
    assert float(value(app, "auc")) <= float(value(app, "chance"))
    assert not values(app, "rivals") + values(app, "as_good")


def test_many_labels_are_drawn_from_and_it_is_said(tiny_on_offer: None) -> None:
    query = {"model": "tiny", "senses": sections.SCORES, "senseword": "cat", "from": TEXT}
    app = open_page(PAGE, **query)
    count = MOST_SCORED + 40
    lines = [f"{'xy'[i % 2]}\ta cat {'sat' if i % 2 else 'code'} {i}" for i in range(count)]
    app.file_uploader(key="text").set_value(
        ("x.txt", "\n".join(["sense\tsentence", *lines]).encode(), "text/plain")
    ).run()
    assert not app.exception
    assert (value(app, "labelled"), values(app, "scored")[-1]) == (str(count), str(MOST_SCORED))

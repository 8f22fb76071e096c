"""Nearest Neighbors, headless: the percentile scale of the table beside every cosine."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import calibrate_table
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.ui.nearest_neighbors.percentiles import centred_scores
from tests.headless import charts, html, numbers, open_page, said, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/3_Nearest_Neighbors.py"


def test_percentiles_of_random_rows(minilm: Bert) -> None:
    app = open_page(PAGE, q="dog", k="30")
    calibration, neighbors = calibrate_table(minilm), nearest_tokens(minilm, "dog", 30)
    frame = app.dataframe[0].value
    assert frame["token"].tolist() == list(neighbors.tokens)
    assert frame["cosine similarity"].tolist() == pytest.approx(neighbors.scores)
    expected = calibration.percentiles(neighbors.scores)
    assert frame["percentile"].tolist() == pytest.approx(expected, abs=0.11)
    assert expected.min() < 100
    mean = calibration.means[0]
    rows = (
        minilm.tables.word_embeddings[[minilm.vocabulary.ids["dog"], neighbors.token_ids[3]]] - mean
    )
    cosine = rows[0] @ rows[1] / np.prod(np.linalg.norm(rows, axis=1))
    assert frame["mean-centred"][3] == pytest.approx(cosine, abs=1e-5)
    assert value(app, "nearest") == neighbors.tokens[0]
    assert value(app, "score") == f"{neighbors.scores[0]:.3f}"
    assert "pairs of random rows" in value(app, "percentile")
    every = neighbors.all_scores
    assert value(app, "mean") == f"{every.mean():.3f}"
    assert value(app, "away") == f"{(neighbors.scores[0] - every.mean()) / every.std():.1f}"
    assert len(charts(app)) == 2, "the percentile scale is folded away"
    assert html(app).count("bx-finding") == 1


def test_every_term_of_a_sum_is_centred(minilm: Bert) -> None:
    calibration = calibrate_table(minilm)
    ids, table, mean = minilm.vocabulary.ids, minilm.tables.word_embeddings, calibration.means[0]
    for query, terms in (
        ("king - man", {"king": 1, "man": -1}),
        ("king + queen", {"king": 1, "queen": 1}),
        ("king - man + woman", {"king": 1, "man": -1, "woman": 1}),
    ):
        neighbors = nearest_tokens(minilm, query, 3)
        vector = sum(sign * (table[ids[word]] - mean) for word, sign in terms.items())
        rows = table[neighbors.token_ids] - mean
        cosines = rows @ vector / np.linalg.norm(rows, axis=1) / np.linalg.norm(vector)
        assert centred_scores(minilm, calibration, neighbors) == pytest.approx(cosines, abs=1e-5)


def test_the_percentile_scale_unfolded(minilm: Bert) -> None:
    app = open_page(PAGE, q="dog", q2="##ing")
    assert len(charts(app)) == 4
    app.session_state["worth"] = True
    app.run()
    assert not app.exception
    pictures = charts(app)[4:]
    assert len(pictures) == 4, "two queries, raw and centred"
    for picture in pictures:
        assert numbers(picture["data"][0]["y"]).sum() == pytest.approx(100, abs=1e-3)
    calibration = calibrate_table(minilm)
    assert value(app, "pairs") == f"{calibration.pairs:,}"
    assert value(app, "rows") == f"{calibration.vectors:,}"
    frame = app.dataframe[-1].value
    assert frame["query and its nearest"].tolist()[0] == "dog: dogs"
    assert frame["percentile"].tolist() == pytest.approx(
        [app.dataframe[number].value["percentile"][0] for number in (0, 1)]
    )


@pytest.mark.parametrize(
    ("metric", "column", "upwards"),
    [("dot", "dot product", False), ("Euclidean", "Euclidean distance", True)],
)
def test_other_measures_have_no_percentile(metric: str, column: str, upwards: bool) -> None:
    app = open_page(PAGE, q="dog", metric=metric, keep="subwords")
    frame = app.dataframe[0].value
    assert frame["token"].str.startswith("##").all()
    scores = frame[column]
    assert scores.is_monotonic_increasing if upwards else scores.is_monotonic_decreasing
    assert "percentile" not in frame
    assert value(app, "percentile") == ""
    assert len(charts(app)) == 2


def test_side_by_side_a_bad_query_spoils_only_itself() -> None:
    app = open_page(PAGE, q="##qqqzz", q2="dog", q3="##ing", k="7")
    assert "has no piece “##qqqzz”" in said(app)
    assert [len(frame.value) for frame in app.dataframe] == [7, 7]
    assert "percentile" in app.dataframe[0].value
    assert values(app, "nearest")[0] == app.dataframe[0].value["token"][0] == "dogs"
    app.text_input(key="q").set_value("awesomesauce").run()
    assert value(app, "split") == "awesomesauce = awesome ##sau ##ce"
    bars = charts(app)[0]["data"][0]
    assert numbers(bars["x"]).tolist() == app.dataframe[0].value["cosine similarity"].tolist()

"""Word in Context above its sections, headless: similarities, percentiles, several marks, names."""

from dataclasses import replace

import numpy as np
import pytest
from bertviz_core.ui.word_in_context.words import split_anchors

from bertviz_core.calibration import Scales
from bertviz_core.calibration.digits import percent, rounded
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import similarity_matrix, words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.ui import calibrations
from bertviz_core.views.percentiles import hints
from tests.headless import charts, html, numbers, open_page, said, unfolded, value

pytestmark = pytest.mark.usefixtures("fresh_caches", "never_measured")

PAGE = "pages/4_Word_in_Context.py"
TABLE = unfolded("similarity")
MARKED = ["I love my pet [python]", "I love coding in [python]", "snake", "programming"]


def test_opens_on_python(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, **TABLE)
    words = words_in_context(minilm_encoder, MARKED)
    cosines = similarity_matrix(words, 6)
    assert [value(app, f"nearest_{number}") for number in (1, 2)] == ["snake", "programming"]
    assert value(app, "sentence_1") == "I love my pet python"
    assert value(app, "cosine_1") == f"{cosines[0, 2]:.2f}"
    assert value(app, "second_cosine_2") == f"{cosines[1, 2]:.2f}"
    frame = app.dataframe[0].value
    shown = np.array([frame["to snake"], frame["to programming"]])
    assert pytest.approx(cosines[:2, 2:], abs=1e-6) == shown.T
    plane, curves, matrix = charts(app)
    *paths, _, large = plane["data"]
    for path, word in zip(paths, words[:2], strict=True):
        for axis, anchor in zip("xy", words[2:], strict=True):
            by_layer = similarity_by_layer(word, anchor)
            assert numbers(path[axis]) == pytest.approx(by_layer, abs=1e-5)
    assert paths[0]["customdata"][4].startswith(
        "python (I love my pet python), layer 4: snake 0.61, programming 0.42"
    )
    drawn = [numbers(large[axis]) for axis in "xy"]
    assert drawn == pytest.approx(cosines[:2, 2:].T, abs=1e-5)
    assert [frame["name"] for frame in plane["frames"]] == [f"{layer}" for layer in range(7)]
    # Curves to both anchors, and between the words; all on one range.
    assert [len(numbers(curve["y"])) for curve in curves["data"]] == [7] * 5
    assert numbers(curves["data"][0]["y"]) == pytest.approx(numbers(paths[0]["x"]))
    axes = [curves["layout"][f"yaxis{number}"] for number in ("", 2, 3)]
    assert len({tuple(axis["range"]) for axis in axes}) == 1
    assert numbers(matrix["data"][0]["z"]) == pytest.approx(cosines, abs=1e-6)
    # Nothing waits for the calibration, and no section is drawn before it is chosen.
    assert "measure" in [button.key for button in app.button]
    assert [name for name in frame if "percentile" in name] == []


def test_fewer_than_two_anchors_show_the_curves_first(minilm_encoder: Encoder) -> None:
    pet, coding, snake, _ = words_in_context(minilm_encoder, MARKED)
    app = open_page(PAGE, anchors="")
    assert value(app, "cosine_1") == f"{similarity_by_layer(pet, coding)[6]:.2f}"
    assert [len(chart["data"]) for chart in charts(app)] == [1, 1]
    app.text_input(key="anchors").set_value("snake").run()
    assert not app.exception
    assert value(app, "cosine_1") == f"{similarity_by_layer(pet, snake)[6]:.2f}"
    assert [len(chart["data"]) for chart in charts(app)] == [3, 1]


def test_two_of_more_anchors_are_chosen(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, anchors="snake, programming, zoo", across="zoo", layer="2")
    pet, zoo, snake, programming = words_in_context(
        minilm_encoder, [MARKED[0], "zoo", "snake", "programming"]
    )

    def drawn() -> list[list[float]]:
        path = charts(app)[0]["data"][0]
        return [numbers(path[axis]).tolist() for axis in "xy"]

    assert drawn() == [
        pytest.approx(similarity_by_layer(pet, anchor), abs=1e-5) for anchor in (zoo, snake)
    ]
    assert app.selectbox(key="up").options == ["snake", "programming"]
    app.selectbox(key="up").set_value("programming").run()
    assert drawn()[1] == pytest.approx(similarity_by_layer(pet, programming), abs=1e-5)
    play = charts(app)[0]["layout"]["updatemenus"][0]["buttons"][0]
    assert play["args"][0][-1] == "2", "it ends where the slider is"
    app.text_input(key="anchors").set_value("snake, programming").run()
    assert not app.exception
    assert drawn()[0] == pytest.approx(similarity_by_layer(pet, snake), abs=1e-5)


@pytest.mark.parametrize(
    ("sentences", "anchors", "message"),
    [
        ("", "", "Type a sentence with a word"),
        ("one [word] only", "", "Type a second sentence or an anchor"),
        ("no mark here", "snake", "has 3 words"),
        ("an empty [] mark", "snake", "are empty"),
    ],
)
def test_it_is_said_what_is_missing(sentences: str, anchors: str, message: str) -> None:
    app = open_page(PAGE)
    app.text_area(key="s").set_value(sentences)
    app.text_input(key="anchors").set_value(anchors)
    app.run()
    assert message in html(app)
    assert not charts(app)


def test_percentiles_beside_every_similarity(measured: Scales, minilm_encoder: Encoder) -> None:
    app = open_page(PAGE)
    assert len(app.dataframe) == 0, "folded tables are not made"
    app.session_state["matrix-numbers"] = app.session_state["similarity-numbers"] = True
    app.run()
    pet, coding, snake, _ = words_in_context(minilm_encoder, MARKED)
    cosines = [similarity_by_layer(word, snake)[6] for word in (pet, coding)]
    assert not [button for button in app.button if button.key == "measure"]
    scale = measured.between(1, 1, alone=True)
    frame = app.dataframe[0].value
    expected = rounded(scale.percentiles(np.array(cosines), 6))
    assert frame["to snake, percentile"].tolist() == expected.tolist()
    plane, curves, matrix = charts(app)
    assert (
        f"percentiles {percent(scale.percentile(cosines[0], 6))} and"
        in (plane["data"][0]["customdata"][6])
    )
    by_layer = scale.percentiles_by_layer(similarity_by_layer(pet, snake))
    assert curves["data"][0]["customdata"] == hints(by_layer).tolist()
    pointed = np.array(matrix["data"][0]["customdata"])
    between = measured.between(1, 1).percentile(similarity_by_layer(pet, coding)[6], 6)
    assert pointed[0, 1] == pointed[1, 0] == str(hints(np.array(between)))
    assert pointed[2, 3] == "no percentile: both stand alone"
    assert pointed[0, 0] == "", "a word with itself"
    square = app.dataframe[1].value
    assert list(square)[:3] == ["word", "1 python", "1 python, percentile"]


def test_a_word_in_pieces_stands_among_words_in_as_many(measured: Scales) -> None:
    app = open_page(PAGE, s="such [awesomesauce] here", anchors="sauce, great", layer="3", **TABLE)
    scale = measured.between(4, 1, "mean", alone=True)
    cosine = float(app.dataframe[0].value["to sauce"][0])
    wanted = rounded(scale.percentile(cosine, 3))
    assert app.dataframe[0].value["to sauce, percentile"][0] == wanted
    app.session_state["pooling"] = "max"
    app.run()
    cosine = float(app.dataframe[0].value["to sauce"][0])
    wanted = rounded(measured.between(4, 1, "max", alone=True).percentile(cosine, 3))
    assert app.dataframe[0].value["to sauce, percentile"][0] == wanted


def test_too_few_words_of_as_many_pieces(measured: Scales) -> None:
    """A model whose sentences hold few such words: no number, and it is said why."""
    few = {pair: scale for pair, scale in measured.words.items() if pair.first < 3 > pair.second}
    calibrations.measurement(measured.model).calibration = replace(measured, words=few)
    app = open_page(PAGE, s="such [awesomesauce] here", anchors="sauce", **TABLE)
    assert list(app.dataframe[0].value) == ["sentence", "word", "pieces", "to sauce"]
    assert value(app, "words") == "1 awesomesauce and sauce"
    assert value(app, "least") == "50"


def test_several_marks_in_one_sentence(minilm_encoder: Encoder) -> None:
    app = open_page(
        PAGE, s="the [bank] of the river by the [bank]", anchors="shore, money", **TABLE
    )
    assert value(app, "word_1") == value(app, "word_2") == "bank"
    assert value(app, "sentence_1") == "the [bank] of the river by the …"
    assert value(app, "sentence_2") == "… bank of the river by the [bank]"
    assert app.dataframe[0].value["word"].tolist() == ["bank", "bank"]
    one, two, shore = words_in_context(
        minilm_encoder,
        ["the [bank] of the river by the bank", "the bank of the river by the [bank]", "shore"],
    )
    assert app.dataframe[0].value["to shore"].tolist() == pytest.approx(
        [similarity_by_layer(word, shore)[6] for word in (one, two)], abs=1e-5
    )
    app.text_input(key="anchors").set_value("").run()  # two marks need no anchor
    assert not app.exception
    assert value(app, "cosine_1") == f"{similarity_by_layer(one, two)[6]:.2f}"


def test_it_is_said_how_many_are_left_out() -> None:
    app = open_page(PAGE, s="[a] " * 30, anchors="word, layer, word", **TABLE)
    assert [value(app, name) for name in ("given", "name", "most")] == ["30", "marked words", "12"]
    assert len(app.dataframe[0].value) == 12
    app.text_area(key="s").set_value("\n".join(["a [dog]"] * 14)).run()
    assert not app.exception
    assert [value(app, name) for name in ("given", "name", "most")] == ["14", "sentences", "12"]


def test_a_word_that_is_not_in_the_vocabulary_is_named() -> None:
    assert "bx-note" not in html(open_page(PAGE))
    app = open_page(PAGE, s="I saw a [☃] today", anchors="snow, ☂")
    assert value(app, "unknown") == "☃ and ☂"


def test_a_word_beyond_the_edge_is_refused_in_a_sentence() -> None:
    app = open_page(PAGE)
    app.text_area(key="s").set_value("dog " * 600 + "[python]").run()
    assert not app.exception
    assert "“python” lies beyond the 512 tokens the model can take" in said(app)
    app.text_area(key="s").set_value("dog " * 509 + "[python] " + "dog " * 50).run()
    assert value(app, "cut") == "50"
    assert len(charts(app)) == 3
    # In the finding a sentence stands shortened around its word.
    assert value(app, "sentence_1") == "… dog dog dog python dog dog dog …"


def test_names_stay_apart() -> None:
    assert split_anchors(" a, b,, a ,c d ") == ["a", "b", "c d"]
    app = open_page(PAGE, s="a [dog]", anchors="1 dog, word", **{"matrix-numbers": "true"})
    assert list(app.dataframe[0].value)[1:] == ["1 dog", "1 dog (anchor)", "word"]

"""Word in Context, headless: percentiles, several marks, and the closer looks."""

from pathlib import Path

import numpy as np
import pytest

from bertviz_core.calibration import Calibration
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.agreement import compare_models, compare_poolings, piece_similarity
from bertviz_core.contextual.influence import changed_contexts, influence
from bertviz_core.contextual.lens import nearest_rows_by_layer
from bertviz_core.contextual.neighbors import neighbors_in_context
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.ui import calibrations as ruler_cache
from bertviz_core.ui import percentiles
from bertviz_core.ui import results as cache
from bertviz_core.ui.word_in_context import words as context_words
from tests.headless import charts, html, numbers, open_page, said

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/4_Word_in_Context.py"
MARKED = ["I love my pet [python]", "I love coding in [python]", "snake", "programming"]
INFLUENCE = "which context word did it?"


@pytest.fixture
def ruled(fresh_caches, calibration: Calibration) -> Calibration:
    """The embedded model's ruler, as if it had been measured on this machine before."""
    ruler_cache.measurement("all-MiniLM-L6-v2").calibration = calibration
    return calibration


def test_without_the_ruler_nothing_waits_for_it() -> None:
    app = open_page(PAGE)
    assert [button.label for button in app.button] == ["Measure what a cosine is worth"]
    assert "higher than" not in said(app)
    assert list(app.dataframe[0].value) == [
        *("sentence", "word", "pieces", "to snake", "to programming"),
    ]
    assert len(charts(app)) == 4, "no closer look is drawn before it is chosen"


def test_percentiles_beside_every_similarity(ruled: Calibration, minilm_encoder: Encoder) -> None:
    app = open_page(PAGE)
    pet, coding, snake, _ = words_in_context(minilm_encoder, MARKED)
    cosines = [similarity_by_layer(word, snake)[6] for word in (pet, coding)]
    assert not [button for button in app.button if button.key == "measure"]
    percent = ruled.percentile(cosines[0], 6)
    assert f"snake (0.507, higher than {percent:.1f}"[:-2] in said(app)
    assert "% of unrelated pairs; programming 0.257, higher than" in said(app)
    frame = app.dataframe[0].value
    expected = np.floor(10 * ruled.percentiles(np.array(cosines), 6)) / 10
    assert frame["to snake, percentile"].tolist() == expected.tolist()
    curve = charts(app)[0]["data"][0]
    by_layer = ruled.percentiles_by_layer(similarity_by_layer(pet, snake))
    assert numbers(curve["customdata"]) == pytest.approx(by_layer)
    assert "unrelated pairs" in curve["hovertemplate"]
    matrix = charts(app)[3]["data"][0]
    assert numbers(matrix["customdata"]).shape == (4, 4)
    square, curves = app.dataframe[1].value, app.dataframe[2].value
    assert curves["1 python – snake, percentile"].tolist() == pytest.approx(by_layer, abs=0.11)
    assert list(square)[:3] == ["word", "1 python", "1 python, percentile"]


def test_several_marks_in_one_sentence(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, s="the [bank] of the river by the [bank]", anchors="shore, money")
    assert "bank in “the [bank] of the river by the bank” is nearest to" in said(app)
    assert "bank in “the bank of the river by the [bank]” is nearest to" in said(app)
    assert app.dataframe[0].value["word"].tolist() == ["bank", "bank"]
    one, two, shore = words_in_context(
        minilm_encoder,
        ["the [bank] of the river by the bank", "the bank of the river by the [bank]", "shore"],
    )
    assert app.dataframe[0].value["to shore"].tolist() == pytest.approx(
        [similarity_by_layer(word, shore)[6] for word in (one, two)], abs=1e-5
    )


def test_two_marks_need_no_anchor() -> None:
    app = open_page(PAGE)
    app.text_area(key="s").set_value("the [king] and the [queen]")
    app.text_input(key="anchors").set_value("").run()
    assert not app.exception
    assert "the first two marked words have cosine similarity" in said(app)


def test_too_many_marks_are_cut_and_said() -> None:
    app = open_page(PAGE, s="[a] " * 30, anchors="word, layer, word")
    assert "30 marked words were given; the first 12 are compared" in said(app)
    assert len(app.dataframe[0].value) == 12


def test_a_word_beyond_the_edge_is_refused_in_a_sentence() -> None:
    app = open_page(PAGE)
    app.text_area(key="s").set_value("dog " * 600 + "[python]").run()
    assert not app.exception
    assert "“python” lies beyond the 512 tokens the model can take" in said(app)
    app.text_area(key="s").set_value("dog " * 509 + "[python] " + "dog " * 50).run()
    assert "The last 50 were left out" in said(app)
    assert len(charts(app)) == 3


@pytest.mark.parametrize("change", ["mask", "drop"])
def test_which_context_word_did_it(minilm_encoder: Encoder, change) -> None:
    app = open_page(PAGE, deeper=INFLUENCE, without=f"{change} it")
    pet, _, snake, _ = words_in_context(minilm_encoder, MARKED)
    changes = influence(pet, changed_contexts(minilm_encoder, pet, change), snake)
    bars, layers = charts(app)[-2:]
    assert bars["layout"]["xaxis"]["ticktext"] == ["I", "love", "my", "pet", "<b>python</b>"]
    assert numbers(bars["data"][0]["y"])[:4] == pytest.approx(changes[6], abs=1e-5)
    drawn = numbers(layers["data"][0]["z"])
    assert drawn[:, :4] == pytest.approx(changes, abs=1e-5)
    assert np.isnan(drawn[:, 4]).all()
    done = {"mask": "masked", "drop": "dropped"}[change]
    assert f"With pet {done} it is" in said(app)
    assert app.dataframe[-1].value["change"].tolist() == pytest.approx(changes[6], abs=1e-5)


def test_influence_at_layer_0_and_of_a_lone_word() -> None:
    app = open_page(PAGE, deeper=INFLUENCE, layer="0")
    assert "No other word changes it when it is masked: the input embedding knows" in said(app)
    app.text_area(key="s").set_value("[python]").run()
    assert not app.exception
    assert "“python” has no word beside “python”" in said(app)


def test_influence_of_a_long_sentence_says_what_it_cuts(monkeypatch) -> None:
    from bertviz_core.contextual import influence as module

    monkeypatch.setattr(module, "MOST_WORDS", 5)
    app = open_page(PAGE, deeper=INFLUENCE, s="a b c d [dog] e f g h", target="gone")
    assert "The sentence has 8 other words; the 5 nearest to dog" in said(app)
    assert len(app.dataframe[-1].value) == 5


def test_a_chosen_word_that_is_gone_falls_back() -> None:
    app = open_page(PAGE, deeper=INFLUENCE)
    app.selectbox(key="target").set_value("2 python").run()
    assert "python in “I love coding in python” has similarity" in said(app)
    app.text_area(key="s").set_value("my [cat] sleeps\na [dog] barks").run()
    assert not app.exception
    assert app.selectbox(key="target").value == "1 cat"


def test_what_it_looks_like_now(ruled: Calibration, minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, deeper="what does it look like now?", centre="true")
    bert = minilm_encoder.bert
    (pet,) = words_in_context(minilm_encoder, MARKED[:1])
    own = [bert.vocabulary.ids["python"]]
    found = nearest_rows_by_layer(bert, pet.vectors, own, 10, ruled.means)
    grid, ranks = charts(app)[-2:]
    assert numbers(grid["data"][0]["z"]) == pytest.approx(found.cosines[:, :5], abs=1e-5)
    assert grid["data"][0]["text"][0][0] == "<b>python</b>"
    assert numbers(ranks["data"][0]["y"]).tolist() == found.own_ranks.tolist()
    assert f"is nearest to the row of {found.tokens[6][0]}" in said(app)
    assert app.dataframe[-1].value["1"].tolist() == [row[0] for row in found.tokens]
    assert any("different spaces" in caption.value for caption in app.caption)


def test_centring_without_the_ruler_says_so() -> None:
    for look in ("what does it look like now?", "neighbours in context"):
        app = open_page(PAGE, deeper=look, centre="true")
        assert "Centring needs each layer's mean vector" in said(app)
        assert len(charts(app)) > 4


def test_neighbours_in_context(ruled: Calibration, minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, deeper="neighbours in context", layer="4")
    pet, coding, *_ = words_in_context(minilm_encoder, MARKED)
    found = neighbors_in_context(minilm_encoder, pet, [pet.text, coding.text], ruled.means)
    best = found.nearest(4, 12)
    drawn = numbers(charts(app)[-1]["data"][0]["z"])
    assert drawn == pytest.approx(found.cosines[:, best].T, abs=1e-5)
    frame = app.dataframe[-1].value
    assert frame["token"].tolist() == [found.tokens[i] for i in best]
    assert frame["mean-centred"].tolist() == pytest.approx(found.centred[4, best], abs=1e-5)
    assert frame["percentile"].tolist() == pytest.approx(
        ruled.percentiles(found.cosines[4, best], 4), abs=0.11
    )
    assert f"is {found.tokens[best[0]]} in “" in said(app)


def test_the_ruler(ruled: Calibration) -> None:
    app = open_page(PAGE, deeper="the ruler")
    assert "python in “I love my pet python” and snake have similarity 0.507" in said(app)
    *pictures, curve = charts(app)[4:]
    assert len(pictures) == 6, "three similarities, raw and centred"
    for picture in pictures:
        assert numbers(picture["data"][0]["y"]).sum() == pytest.approx(100, abs=1e-3)
    assert np.array_equal(numbers(curve["data"][2]["y"]), ruled.anisotropy)
    marks = app.dataframe[-2].value
    assert marks["to"].tolist() == ["snake", "programming", "2 python"]
    assert any("Ethayarajh (2019)" in caption.value for caption in app.caption)


def test_the_ruler_before_it_is_measured() -> None:
    app = open_page(PAGE, deeper="the ruler")
    assert "The model has not been measured yet" in said(app)
    assert len(charts(app)) == 4


def test_pieces_and_pooling(ruled: Calibration, minilm_encoder: Encoder) -> None:
    sentences = ["such [awesomesauce] here", "this is [awesomesauce]"]
    app = open_page(
        PAGE, deeper="pieces and pooling", s="\n".join(sentences), anchors="sauce, great"
    )
    one, two, sauce, great = words_in_context(minilm_encoder, [*sentences, "sauce", "great"])
    itself, pieces, dots = charts(app)[-3:]
    assert numbers(itself["data"][0]["y"]) == pytest.approx(similarity_by_layer(one, two), abs=1e-5)
    assert np.array_equal(numbers(itself["data"][1]["y"]), ruled.anisotropy)
    assert numbers(pieces["data"][0]["y"]) == pytest.approx(piece_similarity(one), abs=1e-5)
    found = compare_poolings([(a, b) for a in (one, two) for b in (sauce, great)])
    frame = app.dataframe[-1].value
    assert frame["max"].tolist() == pytest.approx(found.similarities[3, 6], abs=1e-5)
    assert frame["spread"].tolist() == pytest.approx(found.spread[6], abs=1e-5)
    assert len(dots["data"]) == 5
    assert "The 2 occurrences of awesomesauce" in said(app)
    assert "The nearest anchor is the same under all four for" in said(app)


def test_words_of_one_piece_have_one_pooling() -> None:
    app = open_page(PAGE, deeper="pieces and pooling", s="my [dog]\na [cat]")
    assert "No word is marked twice" in said(app)
    assert "Every word here is one piece" in said(app)
    assert "the four poolings give the same vectors" in said(app)


def test_no_second_model() -> None:
    app = open_page(PAGE, deeper="a second model")
    assert "No other model is ready on this machine" in said(app)
    assert len(charts(app)) == 4


def test_a_second_model(
    tiny_folder: Path, minilm_encoder: Encoder, tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    app = open_page(PAGE, deeper="a second model")
    cosines = []
    for encoder in (minilm_encoder, load_encoder(tiny)):
        pet, coding, *anchors = words_in_context(encoder, MARKED)
        pairs = [(word, anchor) for word in (pet, coding) for anchor in anchors]
        cosines.append(np.stack([similarity_by_layer(a, b) for a, b in pairs], axis=1))
    scatter, curve = charts(app)[-2:]
    assert numbers(scatter["data"][0]["x"]) == pytest.approx(cosines[0][6], abs=1e-5)
    assert numbers(scatter["data"][0]["y"]) == pytest.approx(cosines[1][2], abs=1e-5)
    found = compare_models(*cosines)
    assert numbers(curve["data"][0]["y"]) == pytest.approx(found.correlation, abs=1e-6)
    frame = app.dataframe[-1].value
    assert frame["tiny, layer 2"].tolist() == pytest.approx(cosines[1][2], abs=1e-5)
    assert "in all-MiniLM-L6-v2, layer 6 of 6" in said(app)
    assert f"the rank correlation is {found.correlation[6]:.2f}" in said(app)
    # The second model's encoder has taken the first one's place; all is still there.
    assert not cache.encoder_in_memory("all-MiniLM-L6-v2")
    app.slider(key="layer").set_value(3).run()
    assert not app.exception
    assert "layer 1 of 2" in said(app)


@pytest.mark.parametrize(
    "look",
    [INFLUENCE, "what does it look like now?", "neighbours in context", "pieces and pooling"],
)
@pytest.mark.parametrize(
    "text", ["<b>a</b> [python] $x^2$ :smile:", "word " * 700 + "[dog]", "我 [喜欢] 🐍 \u202e"]
)
def test_closer_looks_take_any_text(look: str, text: str, monkeypatch) -> None:
    from bertviz_core.contextual import influence as module

    monkeypatch.setattr(module, "MOST_WORDS", 3)
    app = open_page(PAGE, deeper=look, anchors="word, layer, a (anchor)")
    app.text_area(key="s").set_value(text).run()
    assert not app.exception
    assert "<script" not in html(app)
    assert charts(app) or "bx-alert" in html(app)


def test_names_stay_apart() -> None:
    assert context_words.split_anchors(" a, b,, a ,c d ") == ["a", "b", "c d"]
    app = open_page(PAGE, s="a [dog]", anchors="1 dog, word")
    assert list(app.dataframe[1].value)[1:] == ["1 dog", "1 dog (anchor)", "word"]


def test_percentiles_are_not_rounded_to_the_ends() -> None:
    column = percentiles.column(np.array([0, 0.01, 4.56, 70.3, 99.97, 100]))
    assert column.tolist() == [0, 0.1, 4.5, 70.3, 99.9, 100]
    assert column.dtype == object
    rows = np.linspace(0, 1, 1001, dtype=np.float32)[None]
    ruler = Calibration("x", 1, 10, 1234, rows, rows, rows[:, 0], rows[:, 0], rows)
    assert percentiles.after(None, 0.5) == percentiles.worth(None, 0.5) == ""
    assert percentiles.after(ruler, 0.715) == ", higher than 71% of unrelated pairs"
    assert percentiles.worth(ruler, 0.715) == ", higher than 71%"
    assert percentiles.worth(ruler, 2) == ", higher than all"
    assert percentiles.worth(ruler, -1) == ", lower than all"

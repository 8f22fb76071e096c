"""Words on an axis and the association test, as views: what is drawn, said and left out."""

import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.views.nearest_neighbors.word_lists import (
    ANY,
    AXES,
    TESTS,
    association,
    words_on_axis,
)
from tests.views.reading import sent
from tests.views.test_programs import compare_programs


def test_an_expected_order_is_drawn_upright(minilm: Bert) -> None:
    view = words_on_axis(minilm, words="ant awesomesauce dog elephant small 🐍🐍")
    frame = view.to_frame()
    assert frame["word"].tolist() == ["ant", "awesomesauce*", "dog", "elephant"]
    assert frame["tokens"][1] == "awesome ##sau ##ce"
    (trace,) = sent(view, "words-on-an-axis")["data"]
    assert trace["x"] == pytest.approx(frame["place"])
    assert trace["y"] == [0, 1, 2, 3]
    assert trace["customdata"] == ["ant", "awesomesauce*", "dog", "elephant"], "pieces are marked"
    assert view.values["words"] == "small, 🐍🐍", "one is in a pole, one unknown"


def test_many_words(minilm: Bert) -> None:
    view = words_on_axis(minilm, words=" ".join(minilm.vocabulary.tokens[3000:3500]), order=ANY)
    assert len(view.to_frame()) > 450, "some are in a pole"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"low": ""}, "first pole"),
        ({"words": "🐍🐍 small dog cat"}, "Write 3 words"),
        ({"high": " "}, "second pole"),
        ({"low": "groß", "high": "groß"}, "same"),
    ],
)
def test_what_cannot_be_placed_is_one_sentence(
    minilm: Bert, given: dict[str, str], problem: str
) -> None:
    view = words_on_axis(minilm, **given)
    assert problem in str(view.values["problem"])
    assert not view.pictures


def test_lists_of_the_association_test(minilm: Bert) -> None:
    view = association(minilm, t1="pets: dog cat awesomesauce", t2="ant bee 🐍🐍")
    assert (view.values["first"], view.values["second"]) == ("pets", "ant, bee")
    assert str(view.values["counts"]).startswith("pets 2 of 3, ant, bee 2 of 3, pleasant 25 of 25")
    assert [trace["name"] for trace in sent(view, "association-test")["data"]] == [
        "pets",
        "ant, bee",
    ]
    turned = association(minilm, t1="ant bee", t2="dog cat")
    assert (view.values["more"], turned.values["more"]) == ("no more", "more")
    assert "needs 2 words" in str(association(minilm, a1="").values["problem"])


def test_the_program_of_words_in_any_order(minilm: Bert, tiny_encoder: Encoder) -> None:
    compare_programs(words_on_axis(minilm, **AXES["danger"]), tiny_encoder)


def test_the_program_that_tries_all_divisions(minilm: Bert, tiny_encoder: Encoder) -> None:
    compare_programs(association(minilm, **TESTS["careers"]), tiny_encoder)

"""Word in Context above its sections, headless: words compared with anchors and each other."""

import numpy as np
import pytest

from bertviz_core.contextual.words import similarity_matrix, words_in_context
from bertviz_core.encoder import Encoder
from tests.headless import charts, html, numbers, open_page, value

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/4_Word_in_Context.py"
MARKED = ["I love my pet [python]", "I love coding in [python]", "snake", "programming"]


def test_opens_on_python(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE)
    assert [value(app, f"nearest_{number}") for number in (1, 2)] == ["snake", "programming"]
    cosines = similarity_matrix(words_in_context(minilm_encoder, MARKED), 6)
    assert value(app, "cosine_1") == f"{cosines[0, 2]:.3f}"
    assert value(app, "second_cosine_2") == f"{cosines[1, 2]:.3f}"
    frame = app.dataframe[0].value
    shown = np.array([frame["to snake"], frame["to programming"]])
    assert pytest.approx(cosines[:2, 2:], abs=1e-6) == shown.T
    snake, programming, between, matrix = charts(app)
    assert [len(numbers(curve["y"])) for curve in snake["data"]] == [7, 7]
    assert len(programming["data"]) == 2
    assert len(between["data"]) == 1
    assert numbers(matrix["data"][0]["z"]) == pytest.approx(cosines, abs=1e-6)
    for figure in (snake, programming, between):
        assert not any("colorbar" in curve["marker"] for curve in figure["data"])


def test_at_another_layer() -> None:
    app = open_page(PAGE, layer="0")
    cosines = app.dataframe[0].value["to snake"]
    assert cosines[0] == pytest.approx(cosines[1], abs=1e-6)
    assert value(app, "layer") == "0"


@pytest.mark.parametrize(
    ("sentences", "anchors", "message"),
    [
        ("", "", "Type at least one sentence"),
        ("one [word] only", "", "Type a second sentence or an anchor"),
        ("no mark here", "snake", "has 3 words"),
        ("an empty [] mark", "snake", "are empty"),
    ],
)
def test_says_what_is_missing(sentences: str, anchors: str, message: str) -> None:
    app = open_page(PAGE)
    app.text_area(key="s").set_value(sentences)
    app.text_input(key="anchors").set_value(anchors)
    app.run()
    assert message in html(app)
    assert not charts(app)


def test_without_anchors_sentences_are_compared(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE)
    app.text_input(key="anchors").set_value("").run()
    assert not app.exception
    cosines = similarity_matrix(words_in_context(minilm_encoder, MARKED[:2]), 6)
    assert value(app, "cosine_1") == f"{cosines[0, 1]:.3f}"
    assert len(charts(app)) == 2


def test_it_is_said_how_many_sentences_were_left_out() -> None:
    app = open_page(PAGE)
    app.text_area(key="s").set_value("\n".join(["a [dog]"] * 14)).run()
    assert not app.exception
    assert [value(app, name) for name in ("given", "name", "most")] == ["14", "sentences", "12"]

"""The views of Home, as data."""

import numpy as np
import pytest

from bertviz_core.arrays import layer_norm
from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.views.home.two_sentences import DIMENSIONS, MAX_ROWS, paths, sums
from bertviz_core.views.view import View
from bertviz_core.views.word_in_context.reading import read_lines
from bertviz_core.views.word_in_context.words import compare

PYTHONS = ("I love my pet [python]", "I love coding in [python]")
ANCHORS = ("snake", "programming")
# Other sentences than any that is shipped.
PAIRS = (
    ("The [bank] of this stream is muddy", "My [bank] raised its interest rates"),
    ("In [spring] the meadow turns green", "A [spring] of steel popped out of the sofa"),
    ("The [pitch] of her voice was high", "They ran onto the [pitch] after the match"),
)


def bands_of(bert: Bert, *sentences: str) -> View:
    return sums(bert, read_lines(bert, sentences))


def paths_of(encoder: Encoder, *sentences: str, anchors: tuple[str, ...] = ()) -> View:
    return paths(compare(encoder, sentences, anchors), encoder.bert)


def test_three_bands_add_up_to_the_fourth_in_both_sentences(minilm: Bert) -> None:
    view = bands_of(minilm, *PYTHONS)
    tables = minilm.tables
    for name in ("bands-1", "bands-2"):
        figure = view.pictures[name].figure
        token, segment, position, output = (trace.z for trace in figure.data)
        assert output.shape == (7, DIMENSIONS)
        python = minilm.tables.word_embeddings[minilm.vocabulary.ids["python"]]
        assert np.array_equal(token[5], python[:DIMENSIONS])
        summed = python + tables.token_type_embeddings[0] + tables.position_embeddings[5]
        assert np.allclose((token + segment + position)[5], summed[:DIMENSIONS], atol=1e-6)
        norm = layer_norm(
            summed.astype(np.float64),
            tables.layer_norm_weight,
            tables.layer_norm_bias,
            minilm.layer_norm_eps,
        )
        assert np.allclose(output[5], norm.output[:DIMENSIONS], atol=1e-5)
        assert figure.layout.yaxis.ticktext[5] == "<b>5 python</b>"


def outlines_of(view: View, name: str) -> list[tuple[str, float, float]]:
    """The rectangles of a picture: axis, first and last row."""
    shapes = [one for one in view.pictures[name].figure.layout.shapes if one.type == "rect"]
    return [(shape.xref, shape.y0, shape.y1) for shape in shapes]


def test_a_long_sentence_is_drawn_around_its_word(minilm: Bert) -> None:
    text = "word " * 200 + "[awesomesauce]" + " word" * 400
    view = bands_of(minilm, text, "[awesomesauce]")
    figure = view.pictures["bands-1"].figure
    assert len(figure.data[0].z) == MAX_ROWS
    outlined = {tuple(rows) for _, *rows in outlines_of(view, "bands-1")}
    assert outlined == {(MAX_ROWS // 2 - 0.5, MAX_ROWS // 2 + 2.5)}, "its three pieces"
    assert (view.values["first"], view.values["last"]) == (201 - 6, 206)
    assert view.values["cut"] == str(200 + 3 + 400 + 2 - 512)


def test_the_paths_begin_at_one_point_and_part(minilm_encoder: Encoder) -> None:
    view = paths_of(minilm_encoder, *PYTHONS, anchors=ANCHORS)
    figure = view.pictures["paths"].figure
    pet, code, *_, middle = figure.data
    assert pet.y[0] == pytest.approx(code.y[0], abs=0.01)
    assert pet.y[-1] - code.y[-1] > 0.3
    assert middle.y == pytest.approx((pet.y + code.y) / 2, abs=1e-6)
    snake, programming = (view.tables["paths"][f"1 python to {anchor}"] for anchor in ANCHORS)
    assert np.allclose(pet.y, snake - programming)
    assert [view.values[name] for name in ("anchor_1", "anchor_2")] == list(ANCHORS)
    assert "verdict" in view.values


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0][:12])
def test_without_any_anchor_two_nouns_are_found(
    minilm_encoder: Encoder, pair: tuple[str, str]
) -> None:
    """Or they do not tell the sentences apart, and no end is named."""
    view = paths_of(minilm_encoder, *pair)
    ends = view.pictures["paths"].figure.layout.annotations[2:]
    assert len(ends) == 2 * (view.values["verdict"] != "none")


def test_one_sentence(minilm_encoder: Encoder) -> None:
    alone = paths_of(minilm_encoder, PYTHONS[0], anchors=ANCHORS)
    assert "the word by itself" in alone.findings[0]
    assert len(alone.pictures["paths"].figure.layout.annotations) == 3

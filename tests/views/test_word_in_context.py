"""The views of the page Word in Context, as data: their numbers are the core's."""

from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import cosine_matrix
from bertviz_core.contextual import occlusion as core
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.leans import lean
from bertviz_core.contextual.words import WordInContext, words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.views.word_in_context.other_words import attention, influence
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.words import compare
from tests.views.reading import CODING, PET, PYTHON, SPLIT, Typed, drawn, made, sent
from tests.views.test_programs import compare_programs


def similarity_matrix(words: list[WordInContext], layer: int) -> np.ndarray:
    vectors = np.stack([word.vectors[layer] for word in words])
    return cosine_matrix(vectors, vectors)


def test_paths_between_two_anchors(minilm_encoder: Encoder) -> None:
    words = words_in_context(minilm_encoder, [PET, CODING, "snake", "programming"])
    cosines = similarity_matrix(words, 6)
    view = made(paths, minilm_encoder, PYTHON, 6)
    leans = lean(words[:2], words[2:])[..., 6]
    assert (view.values["anchor_1"], view.values["anchor_2"]) == ("snake", "programming")
    assert view.values["verdict"] == "clearly"
    assert view.values["lean_1"] == f"{leans[0, 0] - leans[0, 1]:+.2f}"
    assert view.values["lean_2"] == f"{leans[1, 1] - leans[1, 0]:+.2f}"
    assert view.tables["leans"]["leans to"] == ["snake", "programming"]
    assert view.tables["leans"]["to snake"] == pytest.approx(cosines[:2, 2], abs=1e-6)
    # The line where a word leans to neither goes through the middle of both.
    line, (x, y) = view.pictures["plane"].figure.layout.shapes[0], cosines[:2, 2:].mean(axis=0)
    assert line.y0 - line.x0 == pytest.approx(y - x, abs=1e-5)
    for number, word in enumerate(words[:2]):
        for axis, anchor in zip("xy", words[2:], strict=True):
            by_layer = similarity_by_layer(word, anchor)
            assert drawn(view, "plane", axis, number) == pytest.approx(by_layer, abs=1e-5)
    assert drawn(view, "matrix", "z") == pytest.approx(cosines, abs=1e-6)
    by_layer = view.tables["similarity"]
    assert by_layer["1 python to 2 python"] == pytest.approx(similarity_by_layer(*words[:2]))
    assert by_layer["1 python to snake"] == pytest.approx(drawn(view, "plane", "x"))
    assert len(by_layer) == 1 + 5, "each word with both anchors, and the words with each other"
    with pytest.raises(UserInputError):
        made(paths, minilm_encoder, Typed(()), 6)


def test_what_moves_with_the_plane(minilm_encoder: Encoder) -> None:
    view = made(paths, minilm_encoder, PYTHON, 4)
    words = words_in_context(minilm_encoder, [PET, CODING, "snake", "programming"])
    matrix = view.pictures["matrix"].figure
    assert matrix.layout.meta == "chart_plane"
    for layer, frame in enumerate(matrix.played):
        expected = similarity_matrix(words, layer)
        assert frame["data"][0]["z"] == pytest.approx(expected, abs=1e-6)


SEAL = Typed(("A [seal] lay on the ice", "the [seal] of the king on a letter"))


def test_an_anchor_that_is_near_in_any_sentence(minilm_encoder: Encoder) -> None:
    """By its cosines each sentence is nearer to stamp; compared, only the letter leans to it."""
    view = made(paths, minilm_encoder, SEAL._replace(anchors=("stamp", "animal")), 4)
    table = view.to_frame()
    assert (table["to stamp"] > table["to animal"]).all()
    assert (view.values["anchor_1"], view.values["anchor_2"]) == ("animal", "stamp")


def test_nothing_tells_sentences_of_one_meaning_apart(minilm_encoder: Encoder) -> None:
    same = Typed(("I saw a [dog] today", "I saw a [dog] yesterday"))
    for typed in (same, same._replace(anchors=("pet", "car"))):
        view = made(paths, minilm_encoder, typed, 6)
        assert view.values["verdict"] == "none"
        assert view.tables["leans"]["leans to"] == ["", ""]
        assert float(view.values["apart"]) <= float(view.values["within"])
    assert made(paths, minilm_encoder, PYTHON, 0).values["verdict"] == "none", "no context yet"


def test_other_numbers_of_anchors(minilm_encoder: Encoder) -> None:
    """To one anchor nouns are found; of three, the two that separate most are shown."""
    one = compare(minilm_encoder, (PET, CODING), ("turtle",))
    assert one.names[2:] == ["turtle", "snake", "programming"]
    assert one.axes == [0, 2]
    three = PYTHON._replace(anchors=("day", "snake", "programming"))
    assert compare(minilm_encoder, *three).axes == [1, 2]
    pet, snake = words_in_context(minilm_encoder, [PET, "snake"])
    plane = made(paths, minilm_encoder, three, 6)
    assert drawn(plane, "plane", "x") == pytest.approx(similarity_by_layer(pet, snake), abs=1e-5)


def test_one_sentence_is_compared_with_the_word_by_itself(minilm_encoder: Encoder) -> None:
    view = made(paths, minilm_encoder, Typed((PET,), ("programming", "snake")), 6)
    pet, alone, snake = words_in_context(minilm_encoder, [PET, "python", "snake"])
    change = similarity_by_layer(pet, snake)[6] - similarity_by_layer(alone, snake)[6]
    assert (view.values["anchor_1"], view.values["lean_1"]) == ("snake", f"{change:+.2f}")


def test_what_is_left_out_is_said(minilm_encoder: Encoder) -> None:
    twice = Typed(("the [bank] of the river by the [bank]",), ("shore", "money"))
    assert "[bank]" in str(made(paths, minilm_encoder, twice, 6).values["sentence_2"])
    many = made(paths, minilm_encoder, Typed(("[a] " * 30,), ("word",)), 6)
    assert (many.values["given"], many.values["most"], len(many.to_frame())) == (30, 12, 12)
    unknown = made(paths, minilm_encoder, Typed(("I saw a [☃] today",), ("snow", "☂")), 6)
    assert unknown.values["unknown"] == "☃ and ☂"
    long = "dog " * 509 + "[python] " + "dog " * 50
    assert made(paths, minilm_encoder, Typed((long,), ("snake",)), 6).values["cut"] == "50"
    with pytest.raises(UserInputError, match="beyond the 512 tokens"):
        made(paths, minilm_encoder, Typed(("dog " * 600 + "[python]",), ("snake",)), 6)


@pytest.mark.parametrize("way", ["mask", "drop"])
def test_which_context_word_did_it(minilm_encoder: Encoder, way) -> None:
    pet, snake = words_in_context(minilm_encoder, [PET, "snake"])
    changes = core.influence(pet, core.occluded_contexts(minilm_encoder, pet, way), snake)
    view = made(influence, minilm_encoder, PYTHON, 6, without=way)
    assert drawn(view, "influence")[:4] == pytest.approx(changes[6], abs=1e-5)
    strongest = np.abs(changes[6]).argmax()
    assert view.values["strongest"] == "pet"
    difference = float(str(view.values["without"])) - float(str(view.values["cosine"]))
    assert difference == pytest.approx(changes[6, strongest], abs=2e-3)


def test_influence_at_layer_0_of_many_words_and_of_a_lone_one(
    minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not made(influence, minilm_encoder, PYTHON, 0).pictures
    with pytest.raises(UserInputError, match="has no word beside “python”"):
        made(influence, minilm_encoder, Typed(("[python]",), ("snake",)), 6)
    long = Typed(("a [dog] " + "b c d e f " * 8,), ("cat",))
    axis = sent(made(influence, minilm_encoder, long, 6), "influence")["layout"]["xaxis"]
    assert len(axis["tickvals"]) <= 26
    assert 1 in axis["tickvals"], "the followed word is always named"
    monkeypatch.setattr(core, "MAX_WORDS", 5)
    cut = made(influence, minilm_encoder, Typed(("a b c d [dog] e f g h",), ("cat",)), 6)
    assert (cut.values["total"], cut.values["count"], len(cut.to_frame())) == (8, 5, 5)


@pytest.mark.parametrize(("way", "pooling"), [("mask", "first"), ("drop", "last")])
def test_programs_of_other_choices(
    minilm_encoder: Encoder, tiny_encoder: Encoder, tmp_path: Path, way, pooling,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    split = SPLIT._replace(sentences=("an [awesomesauce] on her flabbergasted dog",),
                    pooling=pooling)  # fmt: skip
    for view in (
        made(influence, minilm_encoder, split, 3, without=way),
        made(attention, minilm_encoder, split, 3, head=5),
        made(paths, minilm_encoder, split, 2),
    ):
        compare_programs(view, tiny_encoder)

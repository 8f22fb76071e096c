"""What is said and drawn of "what made this vector?", by name."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bertviz_core.arrays import unit_rows
from bertviz_core.bert import Bert
from bertviz_core.contextual.recipes import BANDS, recipes_of
from bertviz_core.encoder import Encoder
from bertviz_core.figures import colors
from bertviz_core.views.sentence_vectors.recipe import SHOWN, SMALLEST, recipe
from bertviz_core.views.view import View
from tests.views.reading import run, sent
from tests.views.recipes import brought

TEXT = "How old are you?"
LONG = "The quick brown fox jumps over the lazy dog, and it is not amused. " * 40
MEAN = "the mean of all tokens after layer 6"
TEXTS = (TEXT, "My train leaves at noon.", "He plays chess.", "It rained all day.")


def int8(rows: np.ndarray) -> np.ndarray:
    return np.rint(127 * rows / np.abs(rows).max())


def shown(minilm: Bert, encoder: Encoder, *texts: str, **how: object) -> View:
    return recipe(minilm, brought(encoder, texts, **how))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stored", "way", "cosine", "precision"),
    [
        (lambda rows: rows, f"{MEAN}, not normalized", "1.00000", "float32"),
        (lambda rows: unit_rows(rows), f"{MEAN}, normalized", "1.00000", "float32"),
        (lambda rows: rows.astype(np.float16), f"{MEAN}, not normalized", "1.00000", "16"),
        (lambda rows: unit_rows(rows).round(3), f"{MEAN}, normalized", r"0\.9999\d", "3 decimals"),
        (lambda rows: unit_rows(rows).round(2), f"{MEAN}, normalized", r"0\.99\d+", "2 decimals"),
        (int8, MEAN, r"0\.9999\d", "stored in int8"),
    ],
)
def test_one_vector(stored, way, cosine, precision, minilm: Bert, minilm_encoder: Encoder) -> None:
    view = shown(minilm, minilm_encoder, TEXT, stored=stored)
    assert view.values["way"] == way
    assert re.fullmatch(cosine, str(view.values["cosine"]))
    assert precision in str(view.values["precision"])
    assert view.values["others"] == ""
    assert "pairs" not in view.findings[0]
    frame = view.to_frame()
    assert frame["way"][0] == "mean, layer 6"
    assert frame["cosine"].is_monotonic_decreasing
    np.testing.assert_allclose(frame["1 - cosine"], 1 - frame["cosine"], atol=1e-15)


def test_none(minilm: Bert, minilm_encoder: Encoder) -> None:
    random = np.random.default_rng(0).standard_normal((1, 384))
    view = shown(minilm, minilm_encoder, TEXT, stored=lambda _: random)
    assert view.findings[0].startswith("None of <b>")
    assert view.values["count"] == len(view.to_frame())
    assert float(str(view.values["cosine"])) < 0.3


def test_what_is_likely_only(minilm: Bert, minilm_encoder: Encoder) -> None:
    """A text without its full stop is as near as a model in int8 makes it: the page says both."""
    given, _ = brought(minilm_encoder, [TEXTS[1]])
    found = recipes_of(minilm_encoder, TEXTS[1].rstrip("."), given.vectors[0])
    view = recipe(minilm, (given, found))
    assert view.findings[0].startswith("This looks like")
    assert str(view.values["way"]).startswith(MEAN)
    assert "or of nearly this text" in str(view.values["precision"])
    assert shown(minilm, minilm_encoder, TEXT).findings[0].startswith("This is <b>")


def test_one_wrong_pair_among_ten(minilm: Bert, minilm_encoder: Encoder) -> None:
    """The precision is that of the others, and the pair is named."""
    texts = [f"{one} {two}" for one in TEXTS[1:] for two in TEXTS][:10]
    view = shown(minilm, minilm_encoder, *texts, stored=lambda rows: np.r_[-rows[:1], rows[1:]])
    assert [view.values[name] for name in ("alone", "furthest", "lowest")] == [9, 1, "-1.00000"]
    assert "float32" in str(view.values["precision"])
    assert view.values["cosine"] == "0.80000"
    assert "looks like" in view.findings[0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("max, layer 2, cut at 128", "the maximum of all tokens after layer 2, cut at 128"),
        (
            "mean without [CLS] and [SEP], layer 6",
            f"{MEAN[:22]} without [CLS] and [SEP]{MEAN[22:]}",
        ),
        ("mean, layers 3 to 6", "the mean of all tokens after layers 3 to 6"),
        ("[SEP], layer 5", "[SEP] after layer 5"),
        ("pooler", "the pooler"),
        ("token table", "the mean of the token table"),
    ],
)
def test_ways_in_words(name: str, words: str, minilm: Bert, minilm_encoder: Encoder) -> None:
    given, found = brought(minilm_encoder, [TEXT])
    view = recipe(minilm, (given, replace(found, names=(name,), best=name, normalized=None)))
    assert view.values["way"] == words


def test_what_cannot_be_told(minilm: Bert, minilm_encoder: Encoder) -> None:
    given, found = brought(minilm_encoder, [TEXT])
    first, *others = found.names
    for count, said in ((1, others[0]), (3, f"{others[1]} and {others[2]}"), (5, "and 2 more")):
        view = recipe(minilm, (given, replace(found, undecided=tuple(others[:count]))))
        assert str(view.values["others"]).endswith(
            said.replace("mean", "the mean of all tokens").replace(", layer", " after layer")
        )
        assert "it cannot be told from" in view.findings[0]
        color = sent(view, "recipe")["data"][0]["marker"]["color"]
        assert color == [colors.MARK] * (1 + count) + [colors.TOKEN] * (SHOWN - 1 - count)
    view = recipe(minilm, (given, replace(found, text_free=(first,))))
    assert "so it may be of another one" in view.findings[0]
    assert "cannot be told" not in view.findings[0]


def test_several_pairs_and_the_first_of_more(minilm: Bert, minilm_encoder: Encoder) -> None:
    view = shown(minilm, minilm_encoder, *TEXTS, total=700)
    assert [view.values[name] for name in ("alone", "pairs", "total", "most")] == [4, 4, 700, 4]
    assert "<b>" in view.findings[0]
    assert view.programs["recipe"].about == "the first pair"


def test_the_picture(minilm: Bert, minilm_encoder: Encoder) -> None:
    view = shown(minilm, minilm_encoder, TEXT)
    figure = sent(view, "recipe")
    (points,), layout = figure["data"], figure["layout"]
    frame = view.to_frame()[:SHOWN]
    assert [text.strip() for text in points["text"]] == frame["way"].tolist()
    np.testing.assert_allclose(points["customdata"], 1 - frame["cosine"], rtol=1e-6)
    np.testing.assert_allclose(points["x"], np.maximum(points["customdata"], SMALLEST))
    assert points["y"] == sorted(points["y"])
    assert layout["yaxis"]["range"][0] > layout["yaxis"]["range"][1], "the nearest on top"
    assert layout["xaxis"]["type"] == "log"
    assert [one["text"] for one in layout["annotations"]] == [band.name for band in BANDS]
    lows = [0.0, *(band.high for band in BANDS)]
    for one, low, band in zip(layout["annotations"], lows, BANDS, strict=False):
        assert low < 10 ** one["x"] < band.high
    for number, shape in enumerate(layout["shapes"]):
        assert shape["x1"] == BANDS[2 * number].high


@pytest.mark.parametrize("text", [LONG, "the cat sat on a mat " * 30, ""])
def test_the_program_prints_the_cosines(text: str, minilm: Bert, minilm_encoder: Encoder) -> None:
    """Those of texts that are cut, too."""
    view = shown(minilm, minilm_encoder, text, stored=int8)
    lines = run(view.programs["recipe"].text).splitlines()
    printed = {way: float(cosine) for cosine, way in (line.split(" ", 1) for line in lines)}
    frame = view.to_frame().set_index("way")["cosine"]
    assert printed.keys() == {*frame.index}
    for way, cosine in printed.items():
        assert cosine == pytest.approx(frame[way], abs=2e-6), way
    assert lines[-1].endswith(view.to_frame()["way"][0])

"""Cosines of unrelated sentences by hand, and that what is shown holds on other texts."""

import re
from itertools import combinations, product

import numpy as np
import pytest

from bertviz_core.arrays import Exact, cosine_matrix
from bertviz_core.calibration.sentences import (
    LENGTHS,
    NAMED,
    STYLES,
    in_one_frame,
    length_of,
    style_sentences,
    unrelated_pairs,
    unrelated_texts,
)
from bertviz_core.contextual.sentence_vectors import WAYS, sentence_vectors
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize
from scripts import scales


def vectors_of(encoder: Encoder, texts: list[str], way: str, layer: int) -> Exact:
    return sentence_vectors(encoder, tokenize(encoder.bert, texts))[way][layer].astype(float)


@pytest.mark.parametrize("style", [*STYLES[1:], "notes", "examples"])
def test_the_texts_are_whole_sentences(minilm_encoder: Encoder, style: str) -> None:
    examples = [re.sub(r"[\[\]]", "", row["sentence"]) for row in scales.examples()]
    outside = {"notes": scales.lines("notes.txt"), "examples": examples}
    texts = outside[style] if style in outside else style_sentences(style)
    assert len(set(texts)) == len(texts) >= 300
    assert not [text for text in texts if not re.fullmatch(r"[^a-z\s].*[.!?…][\"'”’)]?", text)]
    pieces = [len(text) - 2 for text in tokenize(minilm_encoder.bert, list(texts))]
    assert 4 <= min(pieces) <= max(pieces) <= 40


@pytest.mark.parametrize(
    ("way", "layer", "pair"),
    [("max", 6, (0, 2)), ("[CLS]", 3, (2, 1)), ("mean", 0, (1, 1)), ("token table", 0, (0, 0))],
)
def test_the_middle_of_two_styles(
    minilm_encoder: Encoder, way: str, layer: int, pair: tuple[int, int]
) -> None:
    found = unrelated_pairs(minilm_encoder).middles(way, layer, pair)
    assert tuple(found) == NAMED
    for style, ends in found.items():
        drawn = unrelated_texts(minilm_encoder.bert, style)
        assert [len(own) for own in drawn] == [30, 30, 30]
        first, second = (vectors_of(minilm_encoder, drawn[i], way, layer) for i in pair)
        cosines = cosine_matrix(first, second)
        each_once = combinations(range(30), 2) if pair[0] == pair[1] else np.ndindex(30, 30)
        among = [cosines[ends] for ends in each_once]
        assert ends == pytest.approx(np.percentile(among, [5, 95]), abs=1e-5)


def test_a_cosine_less_what_both_have_with_others() -> None:
    """Of the styles alike, though one has more texts than the other, and for each length."""
    rng = np.random.default_rng(0)
    styles, lengths = [*"aaabb"] * 3, np.repeat(np.arange(3), 5)
    making = scales.Texts({}, lengths, styles)
    own, with_making = rng.normal(size=(2, 2)), rng.normal(size=(2, 15))
    found = scales.normalized(own + own.T, with_making, np.array([0, 2]), making)
    of_first, of_second = (
        (row[start : start + 3].mean() + row[start + 3 : start + 5].mean()) / 2
        for row, start in zip(with_making, (10, 0), strict=True)  # with those as long as the other
    )
    assert found[0, 1] == found[1, 0]
    assert found[0, 1] == pytest.approx((own + own.T)[0, 1] - (of_first + of_second) / 2)


def written() -> dict[tuple[str, str], tuple[dict[str, float], bool]]:
    """The table of docs/methods.md: of a scale at a layer percent by style, and if it holds."""
    rows, scale = {}, ""
    for line in scales.in_methods().splitlines()[2:]:
        name, at, _, _, beyond, holds = (cell.strip() for cell in line.strip("|").split("|"))
        scale = name or scale
        percent = re.findall(r"(?:^|, )(.+?) (\d+\.\d) \(", beyond)
        rows[scale, at] = {style: float(each) for style, each in percent}, holds == "yes"
    return rows


def test_no_percentile_holds_for_a_style_that_did_not_make_it(minilm_encoder: Encoder) -> None:
    """As it is written; a slow test measures it."""
    assert set(unrelated_pairs(minilm_encoder).measured) == set(WAYS), "none ships"
    rows = {key: row for key, row in written().items() if key[0].startswith("sentences, ")}
    assert len(rows) == 20
    assert not any(holds for _, holds in rows.values())
    for kind, layer in product(("as it is", "normalized"), range(7)):
        beyond, _ = rows[f"sentences, mean, {kind}", f"layer {layer}"]
        assert 11 < beyond["stories"] < 31
    # The higher of the page's two ends: few unrelated sentences are above, unless they share a
    # topic or a frame.
    unrelated, _ = rows["sentences, mean, unrelated", "layer 6"]
    assert max(unrelated.values()) < 5
    near, _ = rows["sentences, mean, one topic or one frame", "layer 6"]
    assert min(near.values()) > 5
    assert near["recipes"] == pytest.approx(79.5, abs=1)


FRAMES = [
    ('"{}"', '"{}"'),
    ("“{}”", "“{}”"),
    ('"{}"', "“{}”"),
    ("«{}»", "«{}»"),
    ("- {}", "- {}"),
    ("• {}", "• {}"),
    ("1) {}", "2) {}"),
    ("9. {}", "1987. {}"),
    ("(a) {}", "(b) {}"),
    ("a) {}", "b) {}"),
    ("Q: {}", "Q: {}"),
    ("Tom: {}", "Ann: {}"),
    ("Step 1 {}", "Step 2 {}"),
    ("Breaking news {}", "Breaking news {}"),
    ("#news {}", "#news {}"),
    ("🙂 {}", "🤖 {}"),
    ("{} - The Times", "{} - The Times"),
    ("{} - The Times.", "{} - The Times?"),
    ("{} (1950)", "{} (2011)"),
    ("{} [1].", "{} [2]."),
    ("{} p. 7", "{} p. 12"),
    ("{} 🙂", "{} 🤖"),
    ("{} …", "{} …"),
    ("<p>{}</p>", "<p>{}</p>"),
]
PLAIN = [
    ("{}", "{}"),
    ("{}", '"{}"'),
    ("- {}", "{}"),
    ("1. {}", "{}"),
    ("{}", "{} - The Times"),
    ("Well {}", "Well {}"),
    ("Today, {}", "It's {}"),
    ("{} lol", "{} again"),
    ("{}!", "{}."),
]


@pytest.mark.parametrize(("one", "other"), [*FRAMES, *PLAIN])
def test_sentences_in_one_frame(minilm_encoder: Encoder, one: str, other: str) -> None:
    bert = minilm_encoder.bert
    sentences = (one.format("My train leaves at noon"), other.format("She painted a green fence"))
    texts = tokenize(bert, [*sentences, "Hello", "?", "3"])
    found = in_one_frame(bert, texts)
    assert found.shape == (5, 5)
    assert found[0, 1] == found[1, 0] == ((one, other) in FRAMES)
    assert np.array_equal(found, found.T)


def test_few_plain_sentences_are_in_one_frame(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    for style in STYLES:
        texts = tokenize(bert, style_sentences(style)[:150])
        assert in_one_frame(bert, texts)[np.triu_indices(150, 1)].mean() < 0.01


@pytest.mark.parametrize(
    ("tokens", "length"), [(4, -1), (5, 0), (10, 0), (11, 1), (19, 1), (20, 2), (45, 2), (46, -1)]
)
def test_lengths_without_a_scale(minilm_encoder: Encoder, tokens: int, length: int) -> None:
    assert length_of(tokens) == length
    found = unrelated_pairs(minilm_encoder).middles("mean", 6, (length, 0))
    assert bool(found) == (length >= 0)


@pytest.mark.usefixtures("fresh_caches")
def test_another_model(tiny_encoder: Encoder) -> None:
    """It has few positions: only the shortest sentences fit."""
    unrelated = unrelated_pairs(tiny_encoder)
    assert unrelated.middles("mean", 2, (0, 0)).keys() == set(NAMED)
    assert not unrelated.middles("mean", 2, (0, len(LENGTHS) - 1))


def test_a_share_by_hand() -> None:
    subjects = [0, *range(20)]  # the first two rows are about one thing
    beyond = np.ones((21, 21), bool)
    beyond[20] = beyond[:, 20] = False
    counted = scales.apart(subjects)
    pairs, single = scales.share(beyond, subjects, counted), scales.share(beyond[0], subjects)
    assert (round(pairs.percent, 3), round(single.percent, 3)) == (90.431, 95.238)  # 378 of 418
    assert 60 < pairs.low < 80 < single.low < 95 < pairs.high <= single.high == 100


@pytest.mark.slow
def test_the_table_of_scales_is_what_is_measured(minilm_encoder: Encoder) -> None:
    written, measured = scales.in_methods(), scales.table(minilm_encoder)
    number = r"\d+\.\d"
    assert re.sub(number, "", written) == re.sub(number, "", measured)
    for own, new in zip(*(re.findall(number, text) for text in (written, measured)), strict=True):
        assert float(own) == pytest.approx(float(new), abs=0.3)

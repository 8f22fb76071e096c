"""What a comparison of sentences says, and that it is right on sentences that made none of it."""

import csv
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import Array
from bertviz_core.calibration import same_sense
from bertviz_core.calibration.same_sense import (
    Uses,
    compare_uses,
    measurements,
    same_sense_line,
    uses_of,
)
from bertviz_core.contextual.leans import leans_of, over_layers
from bertviz_core.contextual.word_vectors import WordInContext, words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.senses import prepared_set, prepared_words
from tests.calibration.test_sentences import written

OUTSIDE = Path(__file__).parents[2] / "benchmarks" / "outside"
PYTHON = ["I love my pet [python]", "I love coding in [python]"]
ANCHORS = ["snake", "programming"]
# Twenty words, of which no set has these sentences; the anchors are those that one would type.
HOMONYMS = (
    """
She drew the [bow] over the strings of her cello.|He tied a [bow] in the ribbon.|violin|knot
We waited until [spring] to plant the beans.|A [spring] poked out of the sofa.|season|coil
He struck a [match] to see the stairs.|The [match] ended without a goal.|fire|game
The tenor lost his [pitch] after two bars.|Rain turned the [pitch] to mud.|tone|field
The roof is lined with [lead].|She took the [lead] after ten miles.|metal|race
I boiled plums for [jam].|An accident caused a [jam] on the bridge.|fruit|traffic
Our seats are in the third [row].|The neighbours had a [row] about the hedge.|seat|quarrel
Every [pupil] in my class has a desk.|The doctor shone a light into her [pupil].|student|eye
Put the suitcases into the [trunk].|The elephant drank with its [trunk].|car|nose
He bought a box of [nails] for the fence.|She broke a [nail] while typing.|hammer|finger
The [mole] dug up the whole lawn.|A dark [mole] on his cheek had grown.|animal|skin
She waved from the [deck] as we left the harbour.|He shuffled the [deck] twice.|ship|cards
The [organ] filled the church with sound.|The liver is a large [organ].|music|body
The judge closed the [case] after a week.|She packed a small [case] for Rome.|law|bag
The [tank] rolled into the burning village.|Fish swam round the [tank].|army|water
He chewed a leaf of [mint].|Coins are struck at the [mint].|herb|money
The [fan] cooled the room.|Every [fan] sang when they scored.|air|supporter
Write it with a blue [pen].|The sheep were driven into the [pen].|ink|farm
We bought a [jar] of honey.|The loud noise will [jar] your nerves.|glass|shock
The crowd began to [wave] flags.|A tall [wave] broke over the boat.|hand|sea
""".replace("[jury]", "jury")
    .replace("[nail]s", "[nails]")
    .strip()
    .split("\n")
)


def rows_of(name: str) -> list[dict[str, str]]:
    with (OUTSIDE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def pairs_of(encoder: Encoder, name: str) -> Iterator[tuple[str, str, Uses]]:
    """Of each word's four sentences the pairs: their senses, which are the anchors, and uses."""
    rows = rows_of(name)
    words = words_in_context(encoder, [row["sentence"] for row in rows])
    named = list(dict.fromkeys(row["sense"] for row in rows))
    vectors = dict(zip(named, words_in_context(encoder, named), strict=True))
    measured = measurements(encoder)
    for at in range(0, len(rows), 4):
        senses = [row["sense"] for row in rows[at : at + 4]]
        anchors = [vectors[sense] for sense in dict.fromkeys(senses)]
        for i, j in combinations(range(4), 2):
            both = [words[at + i], words[at + j]]
            yield senses[i], senses[j], uses_of(measured, both, anchors)


@cache
def shipped(encoder: Encoder) -> list[tuple[str, list[WordInContext], list[str]]]:
    """Each shipped set: its word, sentences and senses."""
    sets = []
    for word in prepared_words():
        own = prepared_set(word).occurrences
        marked = [f"{o.sentence[: o.start]}[{o.word}]{o.sentence[o.end :]}" for o in own]
        sets.append((word, words_in_context(encoder, marked), [str(one.sense) for one in own]))
    return sets


def sizes_by_hand(encoder: Encoder, without: str) -> Array:
    """How far apart all pairs of one sense are in the shipped sets: (pairs, layers + 1)."""
    sizes = []
    for word, words, senses in shipped(encoder):
        labels = sorted(set(senses))
        anchors = words_in_context(encoder, labels)
        leans = leans_of(*(np.stack([one.vectors for one in side]) for side in (words, anchors)))
        for i, j in combinations(range(len(words)), 2):
            own = labels.index(senses[i])
            for other in range(len(labels)) if senses[i] == senses[j] and word != without else ():
                if other != own:
                    gaps = leans[[i, j], own] - leans[[i, j], other]
                    sizes.append(abs(np.append(gaps[0] - gaps[1], over_layers(gaps[0] - gaps[1]))))
    return np.array(sizes)


def test_two_sentences_by_hand(minilm_encoder: Encoder) -> None:
    uses = compare_uses(minilm_encoder, PYTHON, ANCHORS)
    words, anchors = (words_in_context(minilm_encoder, each) for each in (PYTHON, ANCHORS))
    leans = leans_of(*(np.stack([one.vectors for one in side]) for side in (words, anchors)))
    apart = leans[0, 0] - leans[0, 1] - leans[1, 0] + leans[1, 1]
    assert uses.leans_to == ("snake", "programming")
    assert uses.separations == pytest.approx(apart, abs=1e-6)
    assert uses.separation == pytest.approx(apart[1:].mean(), abs=1e-6)
    of_others = np.stack([word.others for word in words])
    others = leans_of(of_others, np.stack([one.vectors for one in anchors]))[..., -1]
    apart_without = others[0, 0] - others[0, 1] - others[1, 0] + others[1, 1]
    assert uses.sentence_separation == pytest.approx(apart_without, abs=1e-6)
    # Another order of the sentences and of the anchors says the same.
    turned = compare_uses(minilm_encoder, words[::-1], anchors[::-1])
    assert turned.leans_to == ("programming", "snake")
    assert (turned.separation, turned.one_meaning) == pytest.approx(
        (uses.separation, uses.one_meaning)
    )


def test_shares_and_lines_by_hand(minilm_encoder: Encoder) -> None:
    """Of the pairs of one sense in all shipped sets but the word's own, counted one by one."""
    seal = ["A [seal] lay on the ice", "He broke the [seal] of the letter"]
    uses = compare_uses(minilm_encoder, seal, ["animal", "wax"])
    sizes = sizes_by_hand(minilm_encoder, "seal")
    shares = (sizes >= np.append(uses.separations, uses.separation) - 1e-5).mean(axis=0)
    assert uses.one_meaning == pytest.approx(shares[-1], abs=2e-3)
    assert uses.by_layer == pytest.approx(shares[:-1], abs=2e-3)
    assert uses.by_layer.dtype == np.float32
    line = same_sense_line(minilm_encoder, "seal")
    lines = np.percentile(sizes, 90, axis=0)
    assert np.append(line.by_layer, line.most) == pytest.approx(lines, abs=1e-4)
    beyond = (sizes[:, 1:-1] > lines[1:-1]).any(axis=1).mean()
    assert line.any_layer == pytest.approx(beyond, abs=5e-3)
    # In any form of the word its own set says nothing.
    assert same_sense_line(minilm_encoder, "Seals").most == line.most
    every = same_sense_line(minilm_encoder).most
    assert every == pytest.approx(0.0761, abs=1e-3)
    assert line.most != every == same_sense_line(minilm_encoder, "window").most


def test_the_shipped_sets(minilm_encoder: Encoder) -> None:
    """At every layer but the input, which has seen no context, nearly all pairs lean rightly."""
    right = []
    for _, words, senses in shipped(minilm_encoder):
        labels = sorted(set(senses))
        anchors = words_in_context(minilm_encoder, labels)
        leans = leans_of(*(np.stack([one.vectors for one in side]) for side in (words, anchors)))
        for i, j in combinations(range(len(words)), 2):
            a, b = labels.index(senses[i]), labels.index(senses[j])
            if a != b:
                right.append(leans[i, a] - leans[i, b] - leans[j, a] + leans[j, b] > 0)
    assert np.mean(right, axis=0)[1:].min() >= 0.95
    assert np.mean(right, axis=0)[0] == pytest.approx(0.48, abs=0.01)


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(f"{each}.tsv", marks=pytest.mark.slow) for each in ("words", "prose")),
        "talk.tsv",
    ],
)
def test_sentences_that_made_no_share(minilm_encoder: Encoder, name: str) -> None:
    pairs = list(pairs_of(minilm_encoder, name))
    same = [uses.one_meaning for a, b, uses in pairs if a == b]
    assert len(same) >= 80
    assert 0.05 <= np.mean(np.array(same) < 0.1) <= 0.15
    different = [(a, b) == uses.leans_to for a, b, uses in pairs if a != b]
    assert np.mean(different) >= 0.85
    if name != "talk.tsv":  # what the shares of pairs of two meanings were made from
        return
    told = [uses.two_meanings for a, b, uses in pairs if a != b]
    low, high = np.array([one for one in told if one is not None]).T
    # Said of the size that half of them have: within the range, or a tenth beyond it.
    assert np.median(low) - 0.1 <= 0.5 <= np.median(high) + 0.1


def test_shares_of_one_meaning_hold() -> None:
    """As it is written, of pairs and of 60 groups of six; a slow test measures it."""
    rows = written()
    pairs, all_pairs_hold = rows["one meaning, pairs", "mean of layers"]
    groups, all_groups_hold = rows["one meaning, groups of six", "mean of layers"]
    assert {*pairs} == {"words", "prose", "talk"}
    assert {*groups} == {"one meaning"}
    assert all_pairs_hold
    assert all_groups_hold


def test_words_that_no_set_names(minilm_encoder: Encoder) -> None:
    right = []
    for row in HOMONYMS:
        first, second, *anchors = row.split("|")
        uses = compare_uses(minilm_encoder, [first, second], anchors)
        right.append(uses.leans_to == tuple(anchors))
        assert 0 <= uses.one_meaning <= 1
        assert uses.two_meanings is None or 0 <= uses.two_meanings[0] <= uses.two_meanings[1] <= 1
        assert compare_uses(minilm_encoder, [first, second]).separation > 0
    assert len(right) == 20
    assert np.mean(right) >= 0.8


def test_other_numbers_of_sentences_and_anchors(minilm_encoder: Encoder) -> None:
    four = [*PYTHON, "A [python] swallowed a goat", "The [python] script failed"]
    uses = compare_uses(minilm_encoder, four, ["day", *ANCHORS])
    assert uses.anchors == ("snake", "programming")
    assert uses.leans_to == ("snake", "programming", "snake", "programming")
    gaps = over_layers(uses.leans[:, 0] - uses.leans[:, 1])
    assert uses.separation == pytest.approx(gaps.std(), abs=1e-6)
    assert (uses.one_meaning, uses.two_meanings) == (pytest.approx(0, abs=0.02), None)
    one = compare_uses(minilm_encoder, PYTHON[:1], ANCHORS)
    assert (one.leans_to, one.line) == (("snake",), None)
    assert np.isnan([one.one_meaning, *one.by_layer]).all()
    none = compare_uses(minilm_encoder, PYTHON)
    pet, coding = words_in_context(minilm_encoder, PYTHON)
    cosines = (pet.vectors * coding.vectors).sum(axis=1)
    cosines /= np.linalg.norm(pet.vectors, axis=1) * np.linalg.norm(coding.vectors, axis=1)
    assert (none.leans_to, none.anchors) == ((), ())
    assert none.separation == pytest.approx(1 - cosines[1:].mean(), abs=1e-6)
    assert np.isnan(none.one_meaning)
    for words, anchors in (([], ANCHORS), (PYTHON, ["snake"]), (["two words"], ())):
        with pytest.raises(UserInputError):
            compare_uses(minilm_encoder, words, anchors)


def test_nothing_to_tell(minilm_encoder: Encoder, tiny_encoder: Encoder) -> None:
    """The same sentence twice is as near as any; a model with random weights tells no meanings."""
    for encoder in (minilm_encoder, tiny_encoder):
        same = compare_uses(encoder, [PYTHON[0]] * 2, ANCHORS)
        assert (same.separation, same.one_meaning) == (pytest.approx(0, abs=1e-6), 1)
    typed = [row.split("|") for row in HOMONYMS]
    uses = [compare_uses(tiny_encoder, each[:2], each[2:]) for each in typed]
    assert np.mean([one.one_meaning for one in uses]) >= 0.25
    assert compare_uses(tiny_encoder, PYTHON, ANCHORS).two_meanings is None


def test_another_model_is_measured_once(
    tiny_encoder: Encoder, hub_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = same_sense_line(tiny_encoder)
    kept = sorted(path.name[:5] for path in (hub_cache.parent / "bertviz").iterdir())
    assert kept == ["nouns", "same-"]
    monkeypatch.setattr(same_sense, "measure", None)
    assert same_sense_line(tiny_encoder).most == line.most

"""Where two sentences are told apart, and that it is right: on the shipped sets, and on others."""

import csv
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import Array
from bertviz_core.calibration import same_sense
from bertviz_core.calibration.same_sense import found_pair_line, same_sense_line
from bertviz_core.contextual.leans import leans_of, over_layers, separation
from bertviz_core.contextual.nouns import noun_vectors, nouns_apart
from bertviz_core.contextual.word_vectors import WordInContext, words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.senses import prepared_set, prepared_words

OUTSIDE = Path(__file__).parents[2] / "benchmarks" / "outside" / "words.tsv"


def apart(
    encoder: Encoder, words: Sequence[WordInContext], senses: Sequence[str]
) -> tuple[Array, Array]:
    """How far each two sentences are apart, with the labels of their senses as anchors.

    Of pairs of one sense and of two, (pairs, layers). Of two senses, above 0 is right.
    """
    labels = sorted(set(senses))
    anchors = np.stack([label.vectors for label in words_in_context(encoder, labels)])
    leans = leans_of(np.stack([word.vectors for word in words]), anchors)
    found: tuple[list[Array], list[Array]] = ([], [])
    for i, j in combinations(range(len(senses)), 2):
        a, b = (labels.index(senses[n]) for n in (i, j))
        others = [n for n in range(len(labels)) if n != a] if a == b else [b]
        found[a != b].extend(separation(leans, (i, j), (a, other)) for other in others)
    return np.array(found[0]), np.array(found[1])


def test_the_shipped_sets(minilm_encoder: Encoder) -> None:
    right, told, wrong, alike = [], [], [], []
    for word in prepared_words():
        own = prepared_set(word).occurrences
        marked = [f"{o.sentence[: o.start]}[{o.word}]{o.sentence[o.end :]}" for o in own]
        words = words_in_context(minilm_encoder, marked)
        same, pairs = apart(minilm_encoder, words, [str(one.sense) for one in own])
        most = same_sense_line(minilm_encoder, word).most
        right.extend(pairs > 0)
        told.extend(over_layers(pairs) > most)
        wrong.extend(over_layers(pairs) < -most)
        alike.extend(abs(over_layers(same)) > most)
    assert np.mean(right, axis=0)[1:].min() >= 0.95
    assert np.mean(right, axis=0)[0] == pytest.approx(0.48, abs=0.01)  # no context: a toss-up
    assert np.mean(told) == pytest.approx(0.60, abs=0.04)
    assert not np.any(wrong)
    assert np.mean(alike) == pytest.approx(0.1, abs=0.03)


def test_sentences_that_made_no_line(minilm_encoder: Encoder) -> None:
    with OUTSIDE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    words = words_in_context(minilm_encoder, [row["sentence"] for row in rows])
    most, found_most = (line(minilm_encoder).most for line in (same_sense_line, found_pair_line))
    nouns, by_sense, found = noun_vectors(minilm_encoder), [], ([], [])
    for at in range(0, len(rows), 4):
        senses = [row["sense"] for row in rows[at : at + 4]]
        own = words[at : at + 4]
        by_sense.append(apart(minilm_encoder, own, senses))
        for i, j in combinations(range(4), 2):
            pair = nouns_apart([own[i], own[j]], nouns, 1)
            found[senses[i] != senses[j]].append(over_layers(pair.separation) > found_most)
    same, pairs = (over_layers(np.concatenate(each)) for each in zip(*by_sense, strict=True))
    assert len(rows) >= 300
    assert np.mean(pairs > 0) >= 0.85
    assert np.mean(pairs < -most) <= 0.02
    for of_one, of_two in ((abs(same) > most, pairs > most), found):
        assert np.mean(of_one) <= 0.11  # told apart where the meaning is the same
        assert np.mean(of_two) >= 0.42
    assert np.mean(pairs > most) == pytest.approx(0.48, abs=0.02)


def test_the_lines(minilm_encoder: Encoder) -> None:
    labels, nouns = same_sense_line(minilm_encoder), found_pair_line(minilm_encoder)
    assert labels.by_layer[[1, 6]] == pytest.approx([0.0518, 0.1397], abs=1e-3)
    assert np.isinf(labels.by_layer[0])
    assert (nouns.by_layer[1:] > labels.by_layer[1:]).all()  # what a search finds is further apart
    assert nouns.most > labels.most
    # A shown word's own sentences say nothing of it, in any form of the word.
    without = same_sense_line(minilm_encoder, "python")
    assert without.most != labels.most
    assert same_sense_line(minilm_encoder, "Pythons").most == without.most
    assert same_sense_line(minilm_encoder, "window").most == labels.most


def test_another_model_is_measured_once(
    tiny_encoder: Encoder, hub_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = found_pair_line(tiny_encoder)
    kept = sorted(path.name[:5] for path in (hub_cache.parent / "bertviz").iterdir())
    assert kept == ["nouns", "same-"]
    monkeypatch.setattr(same_sense, "measure", None)
    assert found_pair_line(tiny_encoder).most == line.most

import re
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.contextual import WordInContext, similarity_by_layer, word_in_context
from bertviz_core.contextual.attention import agreement_with_changes, word_attention
from bertviz_core.contextual.comparisons import (
    compare_models,
    compare_poolings,
    piece_similarity,
    self_similarity,
)
from bertviz_core.contextual.lens import Lens, nearest_rows_by_layer
from bertviz_core.contextual.neighbors import neighbors_in_context
from bertviz_core.contextual.occlusion import REMOVALS, influence, occluded_contexts
from bertviz_core.contextual.words import similarity_matrix, words_in_context
from bertviz_core.encoder import POOLINGS, Encoder
from bertviz_core.snippets.fill import opening
from tests.snippets.running import as_it_stands, numbers, run_filled

PET = ("I love my pet python", 14, 20)
LONG = ("my awesomesauce pet", 3, 15)
MARKED = ["I love my pet [python]", "my [awesomesauce] pet", "snake"]
SPANS = [PET, LONG, ("snake", 0, 5)]


@pytest.mark.parametrize("change", REMOVALS)
def test_influence(minilm_encoder: Encoder, change) -> None:
    bert = minilm_encoder.bert
    pet, long, snake = words_in_context(minilm_encoder, MARKED, "last")
    word, span = (pet, PET) if change == "mask" else (long, LONG)
    changed = occluded_contexts(minilm_encoder, word, change, "last")
    others = [(other.word, list(other.positions)) for other in changed.others]
    printed, _ = run_filled(
        "contextual/influence",
        bert,
        word=span,
        anchor=("snake", 0, 5),
        others=others,
        change=change,
        pooling="last",
        layer=5,
    )
    first, *lines = printed.splitlines()
    assert float(first) == pytest.approx(similarity_by_layer(word, snake)[5], abs=1e-4)
    assert [line.split()[3] for line in lines] == [other.word for other in changed.others]
    differences = [float(line.split()[2]) for line in lines]
    assert differences == pytest.approx(influence(word, changed, snake)[5], abs=1.1e-4)
    assert max(map(abs, differences)) > 0.01


@pytest.mark.parametrize("change", REMOVALS)
def test_attention(minilm_encoder: Encoder, change) -> None:
    sentence = "his awesomesauce [python] sleeps in the glass tank"
    word, snake = words_in_context(minilm_encoder, [sentence, "snake"])
    changed = occluded_contexts(minilm_encoder, word, change)
    printed, _ = run_filled(
        "contextual/attention",
        minilm_encoder.bert,
        word=(word.sentence, 17, 23),
        anchor=("snake", 0, 5),
        others=[(other.word, list(other.positions)) for other in changed.others],
        change=change,
        pooling="mean",
        layer=3,
        head=5,
    )
    attention = word_attention(minilm_encoder, word)
    tokens = len(word.text)
    lines = [line.split() for line in printed.splitlines()]
    assert [line[2] for line in lines[:tokens]] == list(word.text.tokens)
    weights = [float(line[1]) for line in lines[:tokens]]
    assert weights == pytest.approx(attention.weights[2, 4], abs=1e-4)
    weights_to_words = attention.to_words(changed.others)[:3]
    changes = influence(word, changed, snake)[3]
    agreement = agreement_with_changes(weights_to_words, changes, changed.others, word)
    assert agreement is not None
    correlations = np.array([line[2:] for line in lines[tokens:]], dtype=float)
    assert correlations == pytest.approx(agreement.correlations, abs=1e-3)


def test_lens(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, MARKED[0])
    printed, _ = as_it_stands("contextual/lens")
    check_lens(printed, lens(word, minilm_encoder.bert))


def test_centred_lens(tiny_encoder: Encoder, tiny_scales: Scales, sentences_file: Path) -> None:
    word = word_in_context(tiny_encoder, "my [codings] on a mat")
    printed, _ = run_filled(
        "contextual/lens",
        tiny_encoder.bert,
        word=("my codings on a mat", 3, 10),
        pooling="mean",
        k=4,
        sentences=sentences_file.read_text(encoding="utf-8").splitlines(),
    )
    check_lens(printed, lens(word, tiny_encoder.bert, tiny_scales.means))


def lens(word: WordInContext, bert: Bert, means: Array | None = None) -> Lens:
    own = [bert.vocabulary.ids[token] for token in word.tokens]
    return nearest_rows_by_layer(bert, word.vectors, own, 4, means)


def check_lens(printed: str, found: Lens) -> None:
    rows = [line.split() for line in printed.splitlines()]
    layers = range(len(found.cosines))
    assert [row[0] for row in rows] == [str(layer) for layer in layers for _ in range(4)]
    assert tuple(row[2] for row in rows) == tuple(np.array(found.tokens).ravel())
    assert [float(row[1]) for row in rows] == pytest.approx(found.cosines.ravel(), abs=2e-4)


def test_context_neighbors(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    pet, long, _ = words_in_context(minilm_encoder, MARKED)
    found = neighbors_in_context(minilm_encoder, pet, [pet.text, long.text])
    printed, _ = run_filled(
        "contextual/neighbors",
        bert,
        word=PET,
        sentences=[PET[0], LONG[0]],
        pooling="mean",
        layer=4,
        k=5,
    )
    rows = [line.split() for line in printed.splitlines()]
    best = found.nearest(4, 5)
    assert [row[3] for row in rows] == [found.tokens[i] for i in best]
    assert [(int(row[1]), int(row[2])) for row in rows] == [
        (found.texts[i], found.positions[i]) for i in best
    ]
    assert [float(row[0]) for row in rows] == pytest.approx(found.cosines[4, best], abs=1e-4)


def test_pieces(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    words = words_in_context(minilm_encoder, MARKED)
    printed, _ = run_filled("contextual/pieces", bert, words=SPANS, pooling="mean", layer=3)
    *pairs, mean, inside = printed.splitlines()
    found = compare_poolings([(words[0], words[1]), (words[0], words[2]), (words[1], words[2])])
    found_cosines = np.array([line.split()[2:] for line in pairs], dtype=float)
    assert np.abs(found_cosines.T - found[:, 3]).max() < 1e-4
    assert float(mean.split()[-1]) == pytest.approx(self_similarity(words)[3], abs=1e-4)
    assert inside.startswith("pieces of 1 ")
    assert float(inside.split()[-1]) == pytest.approx(piece_similarity(words[1])[3], abs=1e-4)


def test_second_model(minilm_encoder: Encoder, tiny_encoder: Encoder) -> None:
    bert, tiny = minilm_encoder.bert, tiny_encoder.bert
    pairs = [(0, 1), (0, 2), (1, 2)]
    cosines = []
    for encoder in (minilm_encoder, tiny_encoder):
        words = words_in_context(encoder, MARKED, "max")
        cosines.append(
            np.stack([similarity_by_layer(words[i], words[j]) for i, j in pairs], axis=1)
        )
    other = opening(tiny) | {"checkpoint": str(tiny.checkpoint.folder), "layer": 2}
    printed, _ = run_filled(
        "contextual/second_model",
        bert,
        layer=6,
        words=SPANS,
        pairs=pairs,
        pooling="max",
        **{f"other_{name}": value for name, value in other.items()},
    )
    *lines, last = printed.splitlines()
    printed_cosines = np.array([line.split()[2:] for line in lines], dtype=float).T
    assert printed_cosines[0] == pytest.approx(cosines[0][6], abs=1e-4)
    assert printed_cosines[1] == pytest.approx(cosines[1][2], abs=1e-4)
    expected = compare_models(*cosines).correlation[6]
    assert float(re.search(r"rank correlation: (\S+)", last)[1]) == pytest.approx(
        expected, abs=1e-4
    )


@pytest.mark.parametrize("pooling", POOLINGS)
def test_similarity(minilm_encoder: Encoder, pooling) -> None:
    words = words_in_context(minilm_encoder, MARKED[1:], pooling)
    printed, _ = run_filled(
        "contextual/similarity", minilm_encoder.bert, words=SPANS[1:], pooling=pooling, layer=4
    )
    assert numbers(printed).reshape(2, 2) == pytest.approx(similarity_matrix(words, 4), abs=1e-5)

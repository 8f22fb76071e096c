import re

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration
from bertviz_core.calibration.run import SENTENCES
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.agreement import (
    compare_models,
    compare_poolings,
    piece_similarity,
    self_similarity,
)
from bertviz_core.contextual.influence import CHANGES, changed_contexts, influence
from bertviz_core.contextual.lens import nearest_rows_by_layer
from bertviz_core.contextual.neighbors import neighbors_in_context
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.snippets.agreement import pieces_code, second_model_code
from bertviz_core.snippets.context_neighbors import context_neighbors_code
from bertviz_core.snippets.influence import influence_code
from bertviz_core.snippets.lens import lens_code
from tests.snippets.test_snippets import run

PET = ("I love my pet python", 14, 20)
LONG = ("my awesomesauce pet", 3, 15)
MARKED = ["I love my pet [python]", "my [awesomesauce] pet", "snake"]
SPANS = [PET, LONG, ("snake", 0, 5)]


@pytest.mark.parametrize("change", CHANGES)
def test_influence(minilm_encoder: Encoder, change) -> None:
    bert = minilm_encoder.bert
    pet, long, snake = words_in_context(minilm_encoder, MARKED, "last")
    word, span = (pet, PET) if change == "mask" else (long, LONG)
    changed = changed_contexts(minilm_encoder, word, change, "last")
    others = [(other.word, list(other.positions)) for other in changed.others]
    code = influence_code(bert, span, ("snake", 0, 5), others, change, "last", 5)
    first, *lines = run(code, bert)[0].splitlines()
    assert float(first) == pytest.approx(similarity_by_layer(word, snake)[5], abs=1e-4)
    assert [line.split()[3] for line in lines] == [other.word for other in changed.others]
    printed = [float(line.split()[2]) for line in lines]
    assert printed == pytest.approx(influence(word, changed, snake)[5], abs=1.1e-4)
    assert max(map(abs, printed)) > 0.01


def test_lens(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    word = word_in_context(minilm_encoder, "my [awesomesauce] pet")
    own = [bert.vocabulary.ids[token] for token in word.tokens]
    check_lens(bert, nearest_rows_by_layer(bert, word.vectors, own, 4), centred=False)


def test_centred_lens(
    minilm_encoder: Encoder, calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SENTENCES.parent)
    bert = minilm_encoder.bert
    word = word_in_context(minilm_encoder, "my [awesomesauce] pet")
    own = [bert.vocabulary.ids[token] for token in word.tokens]
    found = nearest_rows_by_layer(bert, word.vectors, own, 4, calibration.means)
    check_lens(bert, found, centred=True)


def check_lens(bert: Bert, found, *, centred: bool) -> None:
    printed, _ = run(lens_code(bert, LONG, "mean", 4, centred=centred), bert)
    rows = [line.split() for line in printed.splitlines()]
    assert [row[0] for row in rows] == [str(layer) for layer in range(7) for _ in range(4)]
    assert tuple(row[2] for row in rows) == tuple(np.array(found.tokens).ravel())
    assert [float(row[1]) for row in rows] == pytest.approx(found.cosines.ravel(), abs=2e-4)


def test_context_neighbors(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    pet, long, _ = words_in_context(minilm_encoder, MARKED)
    found = neighbors_in_context(minilm_encoder, pet, [pet.text, long.text])
    code = context_neighbors_code(bert, PET, [PET[0], LONG[0]], "mean", 4, 5)
    rows = [line.split() for line in run(code, bert)[0].splitlines()]
    best = found.nearest(4, 5)
    assert [row[3] for row in rows] == [found.tokens[i] for i in best]
    assert [(int(row[1]), int(row[2])) for row in rows] == [
        (found.texts[i], found.positions[i]) for i in best
    ]
    assert [float(row[0]) for row in rows] == pytest.approx(found.cosines[4, best], abs=1e-4)


def test_pieces(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    words = words_in_context(minilm_encoder, MARKED)
    printed, _ = run(pieces_code(bert, SPANS, "mean", 3), bert)
    *pairs, mean, inside = printed.splitlines()
    found = compare_poolings([(words[0], words[1]), (words[0], words[2]), (words[1], words[2])])
    numbers = np.array([line.split()[2:] for line in pairs], dtype=float)
    assert np.abs(numbers.T - found.similarities[:, 3]).max() < 1e-4
    assert float(mean.split()[-1]) == pytest.approx(self_similarity(words)[3], abs=1e-4)
    assert inside.startswith("pieces of 1 ")
    assert float(inside.split()[-1]) == pytest.approx(piece_similarity(words[1])[3], abs=1e-4)


def test_second_model(minilm_encoder: Encoder, tiny: Bert) -> None:
    bert, small = minilm_encoder.bert, load_encoder(tiny)
    pairs = [(0, 1), (0, 2), (1, 2)]
    cosines = []
    for encoder in (minilm_encoder, small):
        words = words_in_context(encoder, MARKED, "max")
        cosines.append(
            np.stack([similarity_by_layer(words[i], words[j]) for i, j in pairs], axis=1)
        )
    code = second_model_code((bert, tiny), SPANS, pairs, "max", (6, 2))
    assert str(tiny.checkpoint.folder) not in code
    for one in (bert, tiny):
        named = one.checkpoint.repo_id or f"path/to/{one.name}"
        code = code.replace(repr(named), repr(str(one.checkpoint.folder)))
    code = f"checkpoint = {bert.checkpoint.repo_id!r}\n{code}"
    *lines, last = run(code, bert)[0].splitlines()
    numbers = np.array([line.split()[2:] for line in lines], dtype=float).T
    assert numbers[0] == pytest.approx(cosines[0][6], abs=1e-4)
    assert numbers[1] == pytest.approx(cosines[1][2], abs=1e-4)
    expected = compare_models(*cosines).correlation[6]
    assert float(re.search(r"rank correlation: (\S+)", last)[1]) == pytest.approx(
        expected, abs=1e-4
    )

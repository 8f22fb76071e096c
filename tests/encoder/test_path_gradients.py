from dataclasses import replace

import numpy as np
import pytest
import torch

from bertviz_core.arrays import cosine, layer_norm
from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.encoder import path_gradients as module
from bertviz_core.encoder.path_gradients import path_gradients
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText, tokenize


@pytest.fixture
def texts(minilm: Bert) -> list[TokenizedText]:
    return [tokenize(minilm, text) for text in ("I love my pet python", "a snake")]


WORDS = [(0, (5,)), (1, (2,))]


def steps_of(bert: Bert, text: TokenizedText) -> tuple[np.ndarray, np.ndarray]:
    """Where the way starts (hidden,), and its three parts for each token (3, tokens, hidden)."""
    tables = bert.tables
    means = np.stack(
        [
            bert.mean_token_row(),
            tables.token_type_embeddings.mean(axis=0),
            tables.position_embeddings.mean(axis=0),
        ]
    ).astype(np.float64)
    rows = np.stack(
        [
            tables.word_embeddings[text.input_ids],
            tables.token_type_embeddings[text.token_type_ids],
            tables.position_embeddings[text.position_ids],
        ]
    )
    return means.sum(axis=0), rows - means[:, None]


@pytest.mark.parametrize("layer", [1, 3, 6])
def test_complete(minilm_encoder: Encoder, texts: list[TokenizedText], layer: int) -> None:
    found = path_gradients(minilm_encoder, texts, WORDS, layer)
    states = [minilm_encoder.hidden_states(text)[layer] for text in texts]
    expected = cosine(states[0][5], states[1][2])
    assert found.cosine == pytest.approx(float(expected), abs=1e-5)
    total = sum(float(shares.sum()) for shares in found.shares)
    assert total == pytest.approx(found.cosine - found.baseline, rel=0.01)
    assert found.complete
    assert [shares.shape for shares in found.shares] == [(3, 7), (3, 4)]
    for shares in found.shares:
        assert not shares[:, [0, -1]].any(), "[CLS] and [SEP] have their rows all the way"
        assert (np.abs(shares[:, 1:-1]) > 0).all(), "all others have a share of each part"


def test_more_nodes_change_little(
    minilm_encoder: Encoder, texts: list[TokenizedText], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = path_gradients(minilm_encoder, texts, WORDS, 6)
    monkeypatch.setattr(module, "FEWEST_NODES", 128)
    finer = path_gradients(minilm_encoder, texts, WORDS, 6)
    assert (finer.nodes, abs(finer.missing) < 1e-5) == (128, True)
    for shares, exact in zip(found.shares, finer.shares, strict=True):
        assert np.abs(shares - exact).max() < 2e-3


def test_at_layer_0_other_words_have_exactly_nothing(
    minilm_encoder: Encoder, texts: list[TokenizedText]
) -> None:
    """And the word what a fine sum over the way gives, written out with NumPy in float64."""
    bert = minilm_encoder.bert
    found = path_gradients(minilm_encoder, texts, WORDS, 0)
    assert found.baseline == pytest.approx(1, abs=1e-6), "both start from one vector"
    for shares, (_, (own,)) in zip(found.shares, WORDS, strict=True):
        assert not np.delete(shares, own, axis=1).any()
        assert shares[:, own].all()
    starts = [steps_of(bert, text) for text in texts]

    def at(alpha: float, part: int, nudge: float) -> float:
        vectors = []
        for number, ((start, steps), (_, (own,))) in enumerate(zip(starts, WORDS, strict=True)):
            values = start + alpha * steps[:, own].sum(axis=0)
            if number == 0:
                values = values + nudge * steps[part, own]
            norm = bert.tables
            vectors.append(
                layer_norm(
                    values, norm.layer_norm_weight, norm.layer_norm_bias, bert.layer_norm_eps
                ).output
            )
        return float(cosine(*vectors))

    middles = (np.arange(400) + 0.5) / 400
    for part in range(3):
        slopes = [(at(a, part, 1e-4) - at(a, part, -1e-4)) / 2e-4 for a in middles]
        assert found.shares[0][part, 5] == pytest.approx(np.mean(slopes), abs=2e-4)


def test_a_linear_function_by_hand(
    minilm_encoder: Encoder, texts: list[TokenizedText], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is linear in the sums gives each row its own product, whatever the way."""
    direction = torch.linspace(-1, 1, 384)
    monkeypatch.setattr(
        module._Path, "_cosines", lambda self, sums: (sums[0][:, 3] - 2 * sums[1][:, 1]) @ direction
    )
    found = path_gradients(minilm_encoder, texts, WORDS, 6)
    for number, position, factor in ((0, 3, 1), (1, 1, -2)):
        _, steps = steps_of(minilm_encoder.bert, texts[number])
        by_hand = factor * steps[:, position] @ direction.numpy()
        assert found.shares[number][:, position] == pytest.approx(by_hand, abs=1e-4)
        assert not np.delete(found.shares[number], position, axis=1).any()
    assert found.nodes == module.FEWEST_NODES


def test_a_held_text_has_no_share(minilm_encoder: Encoder, texts: list[TokenizedText]) -> None:
    found = path_gradients(minilm_encoder, texts, WORDS, 3, held=[1])
    assert not found.shares[1].any()
    assert found.complete
    assert found.baseline < 0.6 < path_gradients(minilm_encoder, texts, WORDS, 3).baseline


@pytest.mark.parametrize("pooling", ["mean", "first", "last", "max"])
def test_pieces_of_one_text(minilm_encoder: Encoder, pooling) -> None:
    text = tokenize(minilm_encoder.bert, "my awesomesauce pet")
    found = path_gradients(minilm_encoder, [text], [(0, (2, 3, 4)), (0, (5,))], 2, pooling)
    assert len(found.shares) == 1
    assert found.complete


def test_why_cls_and_sep_keep_their_rows(
    minilm_encoder: Encoder, texts: list[TokenizedText], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If they moved as well, the start would be equal for all, and the way too steep."""
    monkeypatch.setattr(module, "MOST_NODES", 32)
    assert path_gradients(minilm_encoder, texts, WORDS, 5).complete
    moving = [replace(text, word_ids=tuple(range(len(text)))) for text in texts]
    found = path_gradients(minilm_encoder, moving, WORDS, 5)
    assert found.baseline == pytest.approx(1, abs=1e-5)
    assert not found.complete


def test_runs_in_parts_are_the_same(tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [tokenize(tiny_encoder.bert, text) for text in ("i love my pet python", "a snake")]
    whole = path_gradients(tiny_encoder, texts, WORDS, 2)
    monkeypatch.setattr(module, "RUN_BYTES", 1)
    single = path_gradients(tiny_encoder, texts, WORDS, 2)
    assert single.shares[0] == pytest.approx(whole.shares[0], abs=1e-5)


def test_too_long(minilm_encoder: Encoder, texts: list[TokenizedText]) -> None:
    long = tokenize(minilm_encoder.bert, "dog " * 130)
    with pytest.raises(UserInputError, match="132 tokens"):
        path_gradients(minilm_encoder, [long], [(0, (1,)), (0, (2,))], 1)


@pytest.mark.parametrize(
    ("words", "layer"), [(WORDS[:1], 1), (WORDS, 7), ([(0, (5,)), (1, (4,))], 1)]
)
def test_no_such_thing(
    minilm_encoder: Encoder, texts: list[TokenizedText], words: list, layer: int
) -> None:
    with pytest.raises(ValueError, match=r"words|layer|pieces"):
        path_gradients(minilm_encoder, texts, words, layer)

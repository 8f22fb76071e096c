"""Attention against masking over many sentences: against transformers, scipy and known answers."""

from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from transformers import AutoTokenizer, BertModel

from bertviz_core.bert import Bert
from bertviz_core.contextual.attention import LookedAt, heads_agreement, looked_at, sample_of
from bertviz_core.contextual.marks import MarkedText, read_mark
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.views.word_senses.heads import heads, shipped_words

CASES = {
    "minilm_encoder": (
        "He went to the [bank] by the old river.",
        "I so love my awesomesauce [pet]",
    ),
    "tiny_encoder": ("the cat [sat] on the mat", "coding in [python] on a mat!"),
}


def by_hand(encoder: Encoder, marked: MarkedText) -> tuple[np.ndarray, list[float], list[int]]:
    """Spearman's of each head with the changes, the changes, and the gaps, by transformers."""
    folder = encoder.bert.checkpoint.folder
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    read = tokenizer(marked.text, return_tensors="pt")
    words, ids = read.word_ids(), read["input_ids"]
    own = read.char_to_word(marked.start)
    at = [i for i, word in enumerate(words) if word == own]
    taken = [[i for i, word in enumerate(words) if word == other]
             for other in sorted({word for word in words if word not in (None, own)})]  # fmt: skip
    with torch.no_grad():
        attentions = model(ids, output_attentions=True).attentions
        before = model(ids).last_hidden_state[0, at].mean(dim=0).double()
        changes = []
        for positions in taken:
            masked = ids.clone()
            masked[0, positions] = tokenizer.mask_token_id
            after = model(masked).last_hidden_state[0, at].mean(dim=0).double()
            changes.append(1 - float(torch.cosine_similarity(before, after, dim=0)))
    correlations = np.array(
        [[spearmanr([head[at][:, one].sum().item() for one in taken], changes).statistic
          for head in layer[0]] for layer in attentions]
    )  # fmt: skip
    gaps = [min(abs(i - j) for i in one for j in at) for one in taken]
    return correlations, changes, gaps


@pytest.mark.parametrize("name", CASES)
def test_equals_transformers_and_scipy(name: str, request: pytest.FixtureRequest) -> None:
    """One sentence, and the mean over two."""
    encoder: Encoder = request.getfixturevalue(name)
    marked = [read_mark(sentence) for sentence in CASES[name]]
    two = [one for one in (looked_at(encoder, each) for each in marked) if one is not None]
    expected = [by_hand(encoder, each) for each in marked]
    for one, (correlations, changes, _) in zip(two, expected, strict=True):
        assert one.changes == pytest.approx(changes, abs=1e-6)
        assert heads_agreement([one]).correlations == pytest.approx(correlations, abs=1e-9)
    pooled = heads_agreement(two)
    assert pooled.correlations == pytest.approx((expected[0][0] + expected[1][0]) / 2, abs=1e-9)
    nearness = [-spearmanr(gaps, changes).statistic for _, changes, gaps in expected]
    assert pooled.nearness == pytest.approx(np.mean(nearness), abs=1e-9)
    assert pooled.words == sum(len(changes) for _, changes, _ in expected)


def made(weights: np.ndarray, changes: np.ndarray, nearness: np.ndarray) -> LookedAt:
    return LookedAt(MarkedText("so it is", 0, 2), weights.astype(np.float32), changes, nearness)


def known() -> list[LookedAt]:
    """Heads: the changes, noise, nearness, all alike; nearness and changes are independent."""
    draw = np.random.default_rng(3)
    sentences = []
    for count in draw.integers(6, 12, 60):
        changes, nearness = draw.random(count), -np.arange(1.0, count + 1)
        weights = np.stack([changes, draw.random(count), nearness, np.ones(count)])
        sentences.append(made(weights.reshape(2, 2, count), changes, nearness))
    return sentences


def test_known_heads() -> None:
    found = heads_agreement(known())
    assert found.correlations[0, 0] == pytest.approx(1)
    assert found.correlations[1, 0] == pytest.approx(found.nearness)
    assert found.correlations[1, 1] == 0
    assert found.better.tolist() == [[True, False], [False, False]]
    assert found.correlations[0, 1] < found.by_chance


def test_shuffles_are_beaten_by_chance_in_five_percent() -> None:
    """The standard error of a mean of n correlations of m ranks is 1 / sqrt(n (m - 1))."""
    draw = np.random.default_rng(4)
    one_head = [made(draw.random((1, 1, 10)), draw.random(10), draw.random(10)) for _ in range(100)]
    assert heads_agreement(one_head).by_chance == pytest.approx(1.645 / np.sqrt(900), rel=0.15)


def test_no_head_is_above_chance_in_noise(tiny_encoder: Encoder) -> None:
    draw = np.random.default_rng(5)
    noise = [made(draw.random((2, 2, 7)), draw.random(7), draw.random(7)) for _ in range(50)]
    view = heads(tiny_encoder, heads_agreement(noise))
    assert (view.values["above"], view.values["better"]) == (0, 0)
    with pytest.raises(UserInputError, match="no shipped sentence"):
        heads_agreement([])


def test_which_sentences(minilm: Bert, tiny_encoder: Encoder) -> None:
    every = shipped_words()
    assert set(sample_of(minilm, every)) == set(every)
    assert len(sample_of(minilm, every * 10)) == 1130  # 1e9 / (6 * 384²)
    assert looked_at(tiny_encoder, read_mark("my [pet] sat on a")) is None, "four other words"
    assert looked_at(tiny_encoder, read_mark("a " * 40 + "[pet]")) is None, "beyond the cut"

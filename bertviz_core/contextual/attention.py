"""What a marked word attends to, and whether heads look at the words that matter."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, cosine, frozen, standard_ranks
from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import MarkedText
from bertviz_core.contextual.occlusion import (
    MASK,
    OtherWord,
    Removal,
    occluded_contexts,
)
from bertviz_core.contextual.words import WordInContext, words_of_marks
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError

MIN_WORDS = 5  # other words in a sentence; with fewer, chance agrees too often
SHUFFLES = 1_000
MAX_WORK = 1e9  # sentences x layers x hidden size²: some minutes on two cores
MIN_SENTENCES = 100  # even for the largest models
SIGNIFICANCE = 0.05  # how often chance may reach what is called better than chance


def word_attention(encoder: Encoder, word: WordInContext) -> Array:
    """How much a marked word attends to each token, by the mean over its pieces.

    Returns float32 (layers, heads, seq_len), of which each head has the sum 1; [0] is of layer 1.
    """
    by_piece = encoder.attention(word.text, word.token_positions)
    return frozen(by_piece.mean(axis=2, dtype=np.float64))


def attention_to_words(weights: Array, words: Sequence[OtherWord]) -> Array:
    """The sum of `word_attention` over the pieces of each of n words: float32 (..., n)."""
    found = np.empty((*weights.shape[:-1], len(words)))
    for number, word in enumerate(words):
        found[..., number] = weights[..., word.positions].sum(axis=-1, dtype=np.float64)
    return frozen(found)


class LookedAt(NamedTuple):
    """A marked word of a sentence, and its n other words: attention to each, and its effect."""

    marked: MarkedText
    weights: Array  # float32 (layers, heads, n), attention from the marked word to each other word
    changes: Exact  # (n,), 1 - cosine of its last vector with the last one without the other word
    nearness: Exact  # (n,), minus the distance in tokens


class HeadsAgreement(NamedTuple):
    """Mean of Spearman's rank correlations over sentences, of each head with the changes."""

    of: tuple[MarkedText, ...]  # the sentences that were compared
    words: int  # how many words were taken away in them
    correlations: Exact  # float64 (layers, heads)
    by_chance: float  # the best head of shuffled words stays below it in 95% of shuffles
    nearness: float  # mean correlation of nearness alone with the changes
    better: NDArray[np.bool_]  # whether a head does better than nearness, beyond chance


def removal_for(bert: Bert) -> Removal:
    """How this model's words are taken away: masked, or dropped if it has no [MASK]."""
    return "mask" if MASK in bert.vocabulary.ids else "drop"


def sample_of(bert: Bert, marked: Sequence[MarkedText]) -> list[MarkedText]:
    """A random sample of sentences that a model of this size runs in some minutes."""
    most = max(MIN_SENTENCES, int(MAX_WORK / (bert.num_hidden_layers * bert.hidden_size**2)))
    order = np.random.default_rng(0).permutation(len(marked))
    return [marked[number] for number in order[:most]]


def looked_at(encoder: Encoder, marked: MarkedText) -> LookedAt | None:
    """Run a sentence, and again without each other word; None if it has fewer than five."""
    try:
        (word,) = words_of_marks(encoder, [marked])
        changed = occluded_contexts(encoder, word, removal_for(encoder.bert))
    except UserInputError:  # beyond the cut, unreadable, or alone
        return None
    if len(changed.others) < MIN_WORDS:
        return None
    return LookedAt(
        marked,
        attention_to_words(word_attention(encoder, word), changed.others),
        1 - cosine(changed.vectors[:, -1], word.vectors[-1]),
        np.array([-float(other.gap(word.token_positions)) for other in changed.others]),
    )


def heads_agreement(sentences: Sequence[LookedAt]) -> HeadsAgreement:
    """Correlate each head with the changes in each sentence, and take the means."""
    if not sentences:
        raise UserInputError(
            f"The model reads no shipped sentence with {MIN_WORDS} or more words beside the "
            "marked one."
        )
    shape = sentences[0].weights.shape[:2]
    counts = np.array([len(one.changes) for one in sentences])
    starts = np.cumsum(counts) - counts
    # Ranks within each sentence, the sentences side by side, words last. Equal words have ranks of
    # 0, so that their correlation is 0.
    weights = (one.weights.reshape(-1, len(one.changes)) for one in sentences)
    heads, changes, nearness = (
        np.concatenate([standard_ranks(rows) for rows in of], axis=-1)
        for of in (weights, (one.changes for one in sentences), (one.nearness for one in sentences))
    )
    generator = np.random.default_rng(0)
    orders = np.hstack(
        [
            start + generator.permuted(np.tile(np.arange(count), (SHUFFLES, 1)), axis=1)
            for start, count in zip(starts, counts, strict=True)
        ]
    )
    by_nearness = np.add.reduceat(nearness * changes, starts)  # of each sentence
    ahead = np.add.reduceat(heads * changes, starts, axis=1) - by_nearness
    signs = generator.choice([-1.0, 1.0], (len(counts), SHUFFLES))
    total = len(counts)
    return HeadsAgreement(
        of=tuple(one.marked for one in sentences),
        words=len(changes),
        correlations=frozen((heads @ changes / total).reshape(shape), np.float64),
        by_chance=_best_by_chance(heads @ changes[orders].T / total),
        nearness=float(by_nearness.mean()),
        # A head that does as well as nearness is as often ahead of it as behind.
        better=frozen(
            (ahead.mean(axis=1) > _best_by_chance(ahead @ signs / total)).reshape(shape), np.bool_
        ),
    )


def _best_by_chance(means: Exact) -> float:
    """What the best head stays below in 95% of the draws, of means (heads, draws)."""
    return float(np.quantile(means.max(axis=0), 1 - SIGNIFICANCE))

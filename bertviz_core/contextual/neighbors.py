"""The tokens of several sentences that are nearest to a word, layer by layer."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Ids, cosine, read_only
from bertviz_core.contextual import WordInContext
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens import TokenizedText


class ContextNeighbors(NamedTuple):
    """How near a word is to the tokens of several texts."""

    tokens: tuple[str, ...]  # n, text by text, without the word's own pieces and special tokens
    texts: Ids  # int64 (n,), number of each one's text, from 0
    positions: Ids  # int64 (n,), its position in that text
    cosines: Array  # float32 (num_hidden_layers + 1, n), in [-1, 1]
    centred: Array | None  # the same after taking away each layer's mean

    def nearest(self, layer: int, k: int, *, centred: bool = False) -> Ids:
        """Indices in `tokens` of the k nearest at a layer, best first: int64 (k,)."""
        rows = self.centred if centred and self.centred is not None else self.cosines
        return np.argsort(-rows[layer], kind="stable")[:k].astype(np.int64)


def neighbors_in_context(
    encoder: Encoder,
    word: WordInContext,
    texts: Sequence[TokenizedText],
    layer_means: Array | None = None,
) -> ContextNeighbors:
    """Compare a word with every token of some texts, at every layer."""
    special = encoder.bert.vocabulary.is_special
    positions = []
    for text in texts:
        kept = ~special[text.input_ids]
        if text is word.text:
            kept[list(word.token_positions)] = False
        positions.append(np.flatnonzero(kept))
    if not sum(map(len, positions)):
        raise UserInputError(
            f"The page has no token beside “{shortened(word.word)}”; type a longer sentence."
        )
    raw: list[Array] = [np.empty((0, 0), np.float32)] * len(texts)
    centred = list(raw)
    for number, states in encoder.iter_hidden_states(texts):
        others = states[:, positions[number]]  # (num_hidden_layers + 1, tokens, hidden_size)
        raw[number] = cosine(word.vectors[:, None], others).astype(np.float32)
        if layer_means is not None:
            means = layer_means[:, None]
            of_word = word.vectors[:, None] - means
            centred[number] = cosine(of_word, others - means).astype(np.float32)
    return ContextNeighbors(
        tokens=tuple(
            text.tokens[i] for text, inside in zip(texts, positions, strict=True) for i in inside
        ),
        texts=np.repeat(np.arange(len(texts)), [len(inside) for inside in positions]),
        positions=np.concatenate(positions),
        cosines=read_only(np.concatenate(raw, axis=1)),
        centred=None if layer_means is None else read_only(np.concatenate(centred, axis=1)),
    )

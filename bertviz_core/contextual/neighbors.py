"""Which other tokens of the page's sentences a word is nearest to, layer by layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_core.contextual import WordInContext
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText

if TYPE_CHECKING:
    from bertviz_core.encoder import Encoder

Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ContextNeighbors:
    """How near a word is to the tokens of several texts.

    Attributes:
        tokens: n tokens, text by text; the word's own pieces and special tokens are left out.
        texts: int64 (n,), number of the text each stands in, from 0.
        positions: int64 (n,), where it stands there.
        cosines: float32 (num_hidden_layers + 1, n), in [-1, 1].
        centred: The same after taking away each layer's mean; None where none was given.
    """

    tokens: tuple[str, ...]
    texts: NDArray[np.int64]
    positions: NDArray[np.int64]
    cosines: Array
    centred: Array | None

    def nearest(self, layer: int, k: int, *, centred: bool = False) -> NDArray[np.int64]:
        """Places in `tokens` of the k nearest at a layer, best first."""
        rows = self.centred if centred and self.centred is not None else self.cosines
        return np.argsort(-rows[layer], kind="stable")[:k].astype(np.int64)


def neighbors_in_context(
    encoder: "Encoder",
    word: WordInContext,
    texts: Sequence[TokenizedText],
    layer_means: Array | None = None,
) -> ContextNeighbors:
    """Compare a word with every token of some texts, at every layer.

    The texts run one batch after the other, and only the cosines are kept.

    Args:
        encoder: The model that `word` comes from.
        word: The word in its sentence.
        texts: Texts to look in, each once; the word's own is known by being the same object.
        layer_means: (num_hidden_layers + 1, hidden_size), as `Calibration.means`, for `centred`.

    Returns:
        One row a token, in the order of the texts.

    Raises:
        UserInputError: No token is left to compare with.
    """
    special = encoder.bert.vocabulary.is_special
    places = []
    for text in texts:
        kept = ~special[text.input_ids]
        if text is word.text:
            kept[list(word.token_positions)] = False
        places.append(np.flatnonzero(kept))
    if not sum(map(len, places)):
        raise UserInputError(f"The page has no token beside “{word.word}”; type a longer sentence.")
    raw: list[Array] = [np.empty((0, 0), np.float32)] * len(texts)
    centred = list(raw)
    for number, states in encoder.iter_hidden_states(texts):
        raw[number] = _cosines(word.vectors, states[:, places[number]])
        if layer_means is not None:
            centred[number] = _cosines(
                word.vectors - layer_means, states[:, places[number]] - layer_means[:, None]
            )
    return ContextNeighbors(
        tokens=tuple(
            text.tokens[i] for text, inside in zip(texts, places, strict=True) for i in inside
        ),
        texts=np.repeat(np.arange(len(texts)), [len(inside) for inside in places]),
        positions=np.concatenate(places),
        cosines=_frozen(raw),
        centred=None if layer_means is None else _frozen(centred),
    )


def _cosines(vectors: Array, states: Array) -> Array:
    """Cosine of each layer's vector (layers, hidden) with its states (layers, n, hidden)."""
    dots = np.einsum("lh,lnh->ln", vectors, states, dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1)[:, None] * np.linalg.norm(states, axis=2)
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return np.clip(cosines, -1, 1).astype(np.float32)


def _frozen(parts: list[Array]) -> Array:
    joined: Array = np.concatenate(parts, axis=1)
    joined.setflags(write=False)
    return joined

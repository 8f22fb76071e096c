"""Integrated gradients of a cosine: which rows of the embedding tables make two words alike.

References:
    Sundararajan, Taly & Yan (2017), "Axiomatic Attribution for Deep Networks".
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bertviz_core.arrays import Exact, read_only
from bertviz_core.encoder.batches import POOLINGS, Pooling, batch_tensors, check_words
from bertviz_core.encoder.model import Encoder
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.result import Result
from bertviz_core.tokens import TokenizedText

if TYPE_CHECKING:
    import torch

MOST_TOKENS = 128  # of a text; the way back keeps what every layer computed
FEWEST_NODES, MOST_NODES = 32, 256
MOST_ERROR = 0.01  # of the difference of the cosines
ROUNDING = 1e-4  # what float32 leaves of a difference that is 0
# What the way back keeps of a run, about ten vectors a layer and token, stays within these bytes.
RUN_BYTES = 96_000_000


@dataclass(frozen=True, eq=False, repr=False)
class PathGradients(Result):
    """What each row adds to a cosine on the way from a baseline; arrays are read-only.

    Attributes:
        shares: Of each text float64 (3, tokens): what its token, segment and position rows add.
        cosine: Of the two words, in [-1, 1].
        baseline: The cosine on the baseline, in [-1, 1].
        nodes: How many points of the way were looked at.
    """

    shares: tuple[Exact, ...]
    cosine: float
    baseline: float
    nodes: int

    @property
    def missing(self) -> float:
        """What the shares lack of `cosine - baseline`; 0 for an exact integral."""
        return self.cosine - self.baseline - float(sum(shares.sum() for shares in self.shares))

    @property
    def complete(self) -> bool:
        """Whether no more than 1 % of the difference is missing, or rounding."""
        allowed = max(MOST_ERROR * abs(self.cosine - self.baseline), ROUNDING)
        return abs(self.missing) <= allowed

    def columns(self) -> dict[str, Any]:
        """One row a token, sentence after sentence from 1: what each of its rows adds."""
        token, segment, position = np.concatenate(self.shares, axis=1)
        sizes = [shares.shape[1] for shares in self.shares]
        return {
            "sentence": np.repeat(np.arange(1, len(sizes) + 1), sizes),
            "position": np.concatenate([np.arange(size) for size in sizes]),
            "token row": token,
            "segment row": segment,
            "position row": position,
            "together": token + segment + position,
        }

    def _summary(self) -> str:
        token, segment, position = sum(shares.sum(axis=1) for shares in self.shares)
        return (
            f"cosine {self.cosine:.3f}, on the baseline {self.baseline:.3f}; token rows add "
            f"{token:+.3f}, segment rows {segment:+.3f}, position rows {position:+.3f}; "
            f"{self.nodes} points, {self.missing:+.4f} missing"
        )


def path_gradients(
    encoder: Encoder,
    texts: Sequence[TokenizedText],
    words: Sequence[tuple[int, Sequence[int]]],
    layer: int,
    pooling: Pooling = "mean",
    held: Collection[int] = (),
) -> PathGradients:
    """Share a cosine of two words out among the rows that their texts look up.

    Every token of a text starts from one vector, the sum of the mean rows of the three tables, and
    goes straight to its own sum; the tokens that the tokenizer adds, [CLS] and [SEP], have their
    own rows all the way. If they moved as well, the cosine would change most within a small part of
    the way: position 0 is unlike all others. The gradient of the cosine is integrated
    over this way with Gauss-Legendre nodes, whose number is doubled until the shares add up to
    within 1 %.

    Args:
        encoder: The model.
        texts: One text that holds both words, or two; at most 128 tokens each.
        words: Of each of the two words the number of its text and the positions of its pieces.
        layer: 0 to num_hidden_layers.
        pooling: How pieces become one vector.
        held: Numbers of texts that have their own rows all the way; their shares are 0.

    Returns:
        The shares, with the number of nodes of the last try: at most 256.

    Raises:
        UserInputError: A text is too long or of another checkpoint.
        ModelUnavailableError: The weights give numbers that are not finite.
        ValueError: There are not two words, or a word, the layer or the pooling does not exist.
    """
    import torch

    _check(encoder, texts, words, layer, pooling)
    # Gradient mode belongs to this thread; no weight asks for a gradient, only the sums do.
    with torch.inference_mode(False), torch.enable_grad():
        path = _Path(encoder, texts, words, layer, pooling, held)
        baseline, cosine = path.cosine(0), path.cosine(1)
        nodes = FEWEST_NODES
        while True:
            found = PathGradients(path.shares(nodes), cosine, baseline, nodes)
            if not np.isfinite(found.missing):
                raise ModelUnavailableError(
                    f"{encoder.bert.name} gives numbers that are not finite: its weights are none "
                    "of a trained BERT."
                )
            if found.complete or nodes >= MOST_NODES:
                return found
            nodes *= 2


class _Path:
    """The straight way from the mean rows to the rows of some texts."""

    def __init__(
        self,
        encoder: Encoder,
        texts: Sequence[TokenizedText],
        words: Sequence[tuple[int, Sequence[int]]],
        layer: int,
        pooling: Pooling,
        held: Collection[int],
    ) -> None:
        import torch

        tables = encoder.bert.tables
        means = [
            torch.tensor(mean)
            for mean in (
                encoder.bert.mean_token_row(),
                tables.token_type_embeddings.mean(axis=0),
                tables.position_embeddings.mean(axis=0),
            )
        ]
        self._layers, self._words, self._layer = encoder.layers, words, layer
        self._pooling = pooling
        self._starts = []  # of each text (tokens, hidden)
        self._steps = []  # of each text (3, tokens, hidden): from mean rows to its own
        for number, text in enumerate(texts):
            rows = self._layers.rows(batch_tensors([text]))
            steps = torch.stack([row[0] - mean for row, mean in zip(rows, means, strict=True)])
            start = sum(means).expand(steps.shape[1:]).clone()
            added = [i for i, word in enumerate(text.word_ids) if word is None]
            stay = slice(None) if number in held else added
            start[stay] += steps[:, stay].sum(dim=0)
            steps[:, stay] = 0
            self._starts.append(start)
            self._steps.append(steps)
        tokens, size = sum(len(text) for text in texts), encoder.bert.hidden_size
        self._at_once = max(RUN_BYTES // (40 * tokens * size * max(layer, 1)), 1)

    def cosine(self, alpha: float) -> float:
        """The cosine at one point of the way; 0 is its start, 1 its end."""
        import torch

        with torch.no_grad():
            return float(self._cosines(self._sums(torch.tensor([alpha])))[0])

    def shares(self, count: int) -> tuple[Exact, ...]:
        """Integrate with so many nodes."""
        import torch

        at, weights = np.polynomial.legendre.leggauss(count)  # from -1 to 1
        alphas, weights = (at + 1) / 2, weights / 2
        gradients = [torch.zeros(steps.shape[1:], dtype=torch.float64) for steps in self._steps]
        for start in range(0, count, self._at_once):
            now = slice(start, start + self._at_once)
            sums = [
                values.requires_grad_() for values in self._sums(torch.tensor(alphas[now]).float())
            ]
            by_node = torch.tensor(weights[now])
            parts = torch.autograd.grad(self._cosines(sums).sum(), sums)
            for total, part in zip(gradients, parts, strict=True):
                total += torch.einsum("n,nth->th", by_node, part.double())
        return tuple(
            read_only(torch.einsum("pth,th->pt", steps.double(), gradient).numpy())
            for steps, gradient in zip(self._steps, gradients, strict=True)
        )

    def _sums(self, alphas: "torch.Tensor") -> "list[torch.Tensor]":
        """Of each text what enters LayerNorm, (points, tokens, hidden)."""
        return [
            start + alphas[:, None, None] * steps.sum(dim=0)
            for start, steps in zip(self._starts, self._steps, strict=True)
        ]

    def _cosines(self, sums: "list[torch.Tensor]") -> "torch.Tensor":
        import torch

        states = [self._layers.from_sums(values, self._layer) for values in sums]
        first, second = (
            _pooled(states[text][:, list(positions)], self._pooling)
            for text, positions in self._words
        )
        return torch.cosine_similarity(first, second, dim=-1)  # (points,)


def _pooled(pieces: "torch.Tensor", pooling: Pooling) -> "torch.Tensor":
    """One vector from those of a word's pieces, (points, pieces, hidden)."""
    if pooling == "mean":
        return pieces.mean(dim=1)
    if pooling == "max":
        return pieces.amax(dim=1)
    return pieces[:, 0 if pooling == "first" else -1]


def _check(
    encoder: Encoder,
    texts: Sequence[TokenizedText],
    words: Sequence[tuple[int, Sequence[int]]],
    layer: int,
    pooling: Pooling,
) -> None:
    for text in texts:
        text.check_for(encoder.bert)
        if len(text) > MOST_TOKENS:
            raise UserInputError(
                f"A sentence has {len(text)} tokens; here it may have {MOST_TOKENS}, because the "
                "gradients need what every layer computed. Shorten it."
            )
    if len(words) != 2 or pooling not in POOLINGS:
        raise ValueError(f"{len(words)} words, pooled by {pooling}")
    if not 0 <= layer <= encoder.bert.num_hidden_layers:
        raise ValueError(f"layer {layer} of {encoder.bert.num_hidden_layers}")
    check_words([texts[number] for number, _ in words], [positions for _, positions in words])

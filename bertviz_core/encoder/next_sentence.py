"""The head that says whether text B follows text A: the pooler, then one dense layer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.encoder.batches import to_numpy
from bertviz_core.encoder.masked_words import head_tensors, held_tensors, no_head
from bertviz_core.encoder.weights import POOLER

if TYPE_CHECKING:
    import torch

_HEAD = ("cls.seq_relationship.weight", "cls.seq_relationship.bias")
FOLLOWS, DOES_NOT = 0, 1  # the logits, as in transformers: label 0 is "B follows A"


class NextSentenceHead(NamedTuple):
    """The pooler and the head of a checkpoint, ready to run."""

    tensors: "Mapping[str, torch.Tensor]"  # by transformers' name, float32

    def logits(self, vectors: Array) -> Array:
        """Score vectors of [CLS] after the last layer (n, hidden_size): (n, 2), `FOLLOWS` first."""
        import torch
        from torch.nn.functional import linear

        with torch.inference_mode():
            pooled = linear(torch.tensor(vectors), *(self.tensors[name] for name in POOLER)).tanh()
            return to_numpy(linear(pooled, *(self.tensors[name] for name in _HEAD)))


def lacking(bert: Bert) -> tuple[str, ...]:
    """Tensors of the head that a checkpoint's file lacks, by transformers' names."""
    held = held_tensors(bert)
    return tuple(name for name in _HEAD if name not in held)


def next_sentence_head(bert: Bert) -> NextSentenceHead:
    """Read the head of a checkpoint, and its pooler, which the head needs."""
    if missing := lacking(bert):
        raise no_head(bert, "the next sentence", missing)
    size = bert.hidden_size
    shapes = dict(zip((*POOLER, *_HEAD), ((size, size), (size,), (2, size), (2,)), strict=True))
    return NextSentenceHead(head_tensors(bert, shapes, held_tensors(bert)))

"""The head that says whether text B follows text A: the pooler, then one dense layer."""

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.parameters import POOLER
from bertviz_core.checkpoints.weights import read_tensors
from bertviz_core.encoder.batches import to_numpy

_HEAD = ("cls.seq_relationship.weight", "cls.seq_relationship.bias")


def lacking(bert: Bert) -> tuple[str, ...]:
    """The tensors of the head that a checkpoint's file lacks, by transformers' names."""
    return tuple(name for name in _HEAD if name not in bert.other_tensors)


def next_sentence_logits(bert: Bert, vectors: Array) -> Array:
    """Scores for [CLS] after the last layer, (n, hidden_size): (n, 2); label 0 is "B follows A"."""
    import torch
    from torch.nn.functional import linear

    size = bert.hidden_size
    shapes = dict(zip((*POOLER, *_HEAD), ((size, size), (size,), (2, size), (2,)), strict=True))
    *pooler, weight, bias = read_tensors(bert.checkpoint, shapes, "pt").values()
    with torch.inference_mode():
        pooled = linear(torch.tensor(vectors), *pooler).tanh()
        return to_numpy(linear(pooled, weight, bias))

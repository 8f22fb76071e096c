"""One vector for a whole sentence, in the five ways in use."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.encoder import Encoder
from bertviz_core.errors import expect_each
from bertviz_core.tokens import TokenizedText

# Means count every token, [CLS] and [SEP] too, as `Pooling` of sentence-transformers does.
BY_LAYER = ("mean", "[CLS]", "max")  # of the tokens' vectors at a layer
TABLE, POOLER = "token table", "pooler"  # the mean of its rows; `pooler_output`: without layers
WAYS = (*BY_LAYER, POOLER, TABLE)


def sentence_vectors(encoder: Encoder, texts: Sequence[TokenizedText]) -> dict[str, Array]:
    """One vector of each text, in each of `WAYS` that the model has.

    Args:
        encoder: The model to run.
        texts: n texts, from `tokenize` for the same checkpoint.

    Returns:
        By way: float32 (num_hidden_layers + 1, n, hidden_size), row 0 of the input embeddings, or
        (1, n, hidden_size) for "pooler", where the checkpoint has one, and "token table".

    Raises:
        UserInputError: A text was tokenized for another checkpoint.

    References:
        Reimers & Gurevych (2019), "Sentence-BERT", for [CLS], the mean and the maximum.

    Example:
        >>> from bertviz_core.tokens import tokenize
        >>> sentence_vectors(encoder, [tokenize(bert, "How old are you?")])["mean"].shape
        (7, 1, 384)
    """
    texts = list(expect_each(texts, TokenizedText, "texts, each from tokenize"))
    shape = (encoder.bert.num_hidden_layers + 1, len(texts), encoder.bert.hidden_size)
    mean, first, largest = (np.empty(shape, np.float32) for _ in BY_LAYER)
    for index, tokens in encoder.iter_texts(texts):
        mean[:, index] = tokens.mean(axis=1, dtype=np.float64)
        first[:, index] = tokens[:, 0]
        largest[:, index] = tokens.max(axis=1)
    by_way = dict(zip(BY_LAYER, map(frozen, (mean, first, largest)), strict=True))
    if encoder.has_pooler:
        by_way[POOLER] = encoder.pooler_output(first[-1])[None]
    rows = encoder.bert.tables.word_embeddings
    means = [rows[text.input_ids].mean(axis=0, dtype=np.float64) for text in texts]
    return by_way | {TABLE: frozen(means).reshape(1, *shape[1:])}

"""What adding and subtracting words did: the terms of a sum compared with an answer."""

import numpy as np

from bertviz_core.arrays import Exact, Ids, cosine, cosine_matrix
from bertviz_core.bert import Bert
from bertviz_core.neighbors.search import Neighbors, term_vector


def term_cosines(bert: Bert, neighbors: Neighbors, token_ids: Ids) -> Exact:
    """Compare each term of a query, by itself and without its sign, with rows of the table.

    Args:
        bert: The checkpoint that was searched.
        neighbors: The answers to a query.
        token_ids: int64 (n,), the rows to compare with, as `neighbors.token_ids`.

    Returns:
        float64 (terms, n), cosines in [-1, 1].

    References:
        Linzen (2016), "Issues in evaluating semantic spaces using word analogies": the answer is
        often a neighbour of one of the terms, whatever is added to it.
    """
    table = bert.tables.word_embeddings
    vectors = np.stack([term_vector(table, term) for term in neighbors.terms])
    return cosine_matrix(vectors, table[token_ids])


def query_cosines(bert: Bert, neighbors: Neighbors, token_ids: Ids) -> Exact:
    """Compare the whole query with rows of the table, by cosine under any metric.

    Args:
        bert: The checkpoint that was searched.
        neighbors: The answers to a query.
        token_ids: int64 (n,), the rows to compare with.

    Returns:
        float64 (n,), cosines in [-1, 1].
    """
    return cosine(bert.tables.word_embeddings[token_ids], neighbors.vector)

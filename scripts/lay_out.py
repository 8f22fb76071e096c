"""A map of the token table on which near rows stay near: t-SNE, minutes of one processor."""

import numpy as np
from sklearn.manifold import TSNE

from bertviz_core.arrays import frozen, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.neighbors.token_map import TokenMap, neighbors_kept, principal_points

ITERATIONS, PERPLEXITY, SEED = 1000, 30.0, 0


def lay_out(bert: Bert, iterations: int = ITERATIONS) -> TokenMap:
    """The map of the rows at length 1, whose squared distance is 2 - 2 cosines, by t-SNE.

    Its points lie between -1 and 1, in float16. It starts from a PCA, scaled to 0.0001 (Kobak and
    Berens 2019).
    """
    units = unit_rows(bert.tables.word_embeddings, np.float32)
    start, _ = principal_points(units)
    tsne = TSNE(
        2,
        perplexity=min(PERPLEXITY, (len(units) - 1) / 3),
        init=start / start[:, 0].std() * 1e-4,
        max_iter=iterations,
        random_state=SEED,
    )
    points = tsne.fit_transform(units)
    low, high = points.min(axis=0), points.max(axis=0)
    points = (points - (low + high) / 2) / (max(high - low) / 2)
    points = frozen(points.astype(np.float16))
    return TokenMap(points, neighbors_kept(bert, points))

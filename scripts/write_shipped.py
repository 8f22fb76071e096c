"""Make anew what ships for the embedded model, in bertviz_core/data: `make shipped`, in minutes."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.manifold import TSNE

from bertviz_core.arrays import frozen, unit_rows
from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import same_sense, sentences, token_table, word_scales
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.contextual import nouns
from bertviz_core.disk_cache import shipped_file, write_arrays
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.neighbors.token_map import (
    TokenMap,
    neighbors_kept,
    principal_points,
    table_key,
)
from scripts.scales import measure_uses

ITERATIONS, PERPLEXITY, SEED = 1000, 30.0, 0  # of t-SNE
Shipped = dict[str, tuple[str, Callable[[], Mapping[str, Any]]]]


def shipped(encoder: Encoder) -> Shipped:
    """The key of each kind of file, and what makes its arrays; the second needs the first."""
    bert = encoder.bert
    return {
        "nouns": (nouns.vectors_key(encoder), lambda: nouns.measure(encoder)),
        "same-sense": (same_sense.sets_key(encoder), lambda: measure_uses(encoder)),
        "words": (
            word_scales.scales_key(bert),
            lambda: word_scales.as_arrays(word_scales.measure(encoder)),
        ),
        "sentences": (sentences.pairs_key(bert), lambda: sentences.measure(encoder)),
        "other-tokens": (
            token_table.scores_key(bert),
            lambda: vars(token_table.nearest_scores(bert)),
        ),
        "token-map": (table_key(bert), lambda: _arrays(lay_out(bert))),
    }


def _arrays(token_map: TokenMap) -> dict[str, Any]:
    return {"points": token_map.points, "kept": np.array(token_map.kept)}


def lay_out(bert: Bert, iterations: int = ITERATIONS) -> TokenMap:
    """The map of the token table on which near rows stay near: t-SNE, minutes of one processor.

    Rows are taken at length 1, where their squared distance is 2 - 2 cosines. Its points lie
    between -1 and 1, in float16. It starts from a PCA, scaled to 0.0001 (Kobak and Berens 2019).
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


if __name__ == "__main__":
    for kind, (key, make) in shipped(load_encoder(load_bert(EMBEDDED))).items():
        print(f"{shipped_file(kind).name} …", flush=True)
        if not write_arrays(shipped_file(kind), key, make()):
            raise SystemExit("It cannot be written.")
        shipped_file(kind).chmod(0o644)  # what is kept is for one user; this is installed for all

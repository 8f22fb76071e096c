"""Which layer tells senses apart best, and whether adding or concatenating the last four helps."""

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import cosine_similarity

from bertviz_core.snippets.shared import vectors_of


def layer_choice(
    tokenizer,
    model,
    sets,  # by word: sense, sentence, first character of the word, one past its last
):
    """How well each layer tells senses apart, and the last four together: mean over words."""
    table = []
    for word, occurrences in sets.items():
        by_layer = vectors_of(tokenizer, model, occurrences, "mean")
        last = by_layer[1:][-4:]
        ways = {f"layer {number}": vectors for number, vectors in enumerate(by_layer)}
        ways |= {"sum": last.sum(axis=0), "concatenation": np.concatenate(last, axis=1)}
        senses = np.array([sense for sense, *_ in occurrences])
        pairs = np.triu_indices(len(senses), 1)
        same = (senses[:, None] == senses)[pairs]
        table.append(
            [roc_auc_score(same, cosine_similarity(v)[pairs].round(6)) for v in ways.values()]
        )
        print(word, *(f"{area:.3f}" for area in table[-1]))

    areas, count = np.array(table), len(table)
    best = areas[:, [areas.mean(axis=0).argmax()]]
    times = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), 10_000)
    for what, columns in {"mean AUC": areas, "below the best by": best - areas}.items():
        for name, column in zip(ways, columns.T, strict=True):
            low, high = np.percentile(times @ column / count, [2.5, 97.5])
            print(f"{name}: {what} {column.mean():.3f}, 95% interval {low:.3f} to {high:.3f}")

"""Occurrences of one word, with or without sense labels."""

import numpy as np
from scipy.stats import binomtest, rankdata
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE, trustworthiness
from sklearn.metrics import roc_auc_score, silhouette_score
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from bertviz_core.snippets.shared import auc_interval, vectors_of, with_sense, words_of


def map(
    tokenizer,
    model,
    words,  # sense or None, sentence, first character of the word, one past its last
    words_file,  # None, or the table of all occurrences as CSV, which is read instead
    pooling,  # "mean", "first", "last" or "max"
    layer,
    map_of,  # "all layers", "this layer" or "t-SNE"
    group_count,  # how many to make; None for the number with the best silhouette
):
    """A word's occurrences on a map, how far it can be trusted, and groups among them.

    Of more than 200 it reads the page's table of all: put that, saved as CSV, beside this program.
    """
    words = words_of(words_file) if words_file else words
    by_layer = vectors_of(tokenizer, model, words, pooling)
    at_layer = by_layer[layer]
    if map_of == "this layer":
        points = PCA(2).fit_transform(at_layer)
    elif map_of == "t-SNE":
        perplexity = min(30, (len(words) - 1) / 3)
        tsne = TSNE(2, perplexity=perplexity, init="pca", random_state=0)
        points = tsne.fit_transform(at_layer.astype(np.float32))
    else:
        by_layer = by_layer - by_layer.mean(axis=1, keepdims=True)  # all move together
        pca = PCA(2).fit(np.concatenate(by_layer))
        points = pca.transform(by_layer[layer])
    for number, (x, y) in enumerate(points, start=1):
        print(f"number {number} at {x:.3f} {y:.3f}")
    if map_of != "t-SNE":
        shares = points.var(axis=0) / at_layer.var(axis=0).sum()
        print("of the variance at the layer", shares.round(4))
    k = min(10, (len(words) - 1) // 2)
    trusted = trustworthiness(at_layer, points, n_neighbors=k, metric="cosine")
    print("trustworthiness", round(trusted, 4))
    by_cosine = NearestNeighbors(n_neighbors=k, metric="cosine").fit(at_layer)
    on_map = NearestNeighbors(n_neighbors=k).fit(points)
    # Of equal vectors, as at layer 0, the page takes all as nearest ones, and not any k of them.
    kept = [
        len(set(true) & set(drawn))
        for true, drawn in zip(
            by_cosine.kneighbors(return_distance=False),
            on_map.kneighbors(return_distance=False),
            strict=True,
        )
    ]
    print("of the", k, "nearest, kept on the map", round(np.mean(kept), 4))
    tried, starts = {}, 10 if len(words) <= 500 else 3
    for count in range(2, 1 + min(6, len(words) - 1, len(np.unique(at_layer, axis=0)))):
        groups = KMeans(count, n_init=starts, random_state=0).fit_predict(at_layer)
        tried[count] = silhouette_score(at_layer, groups)
    if tried:
        wanted = group_count or max(tried, key=lambda count: tried[count])
        count = min(tried, key=lambda count: abs(count - wanted))
        print("groups", count, "silhouette", round(tried[count], 4))
    if tried and not any(word[0] for word in words):  # without labels the page says this, too
        spread = np.linalg.svd(at_layer - at_layer.mean(axis=0), compute_uv=False)
        draws, clouds = np.random.default_rng(0), []
        for _ in range(19):  # clouds of points without groups
            cloud = draws.standard_normal((min(len(words), 200), len(spread))) * spread
            groups = KMeans(count, n_init=3, random_state=0).fit_predict(cloud)
            clouds.append(silhouette_score(cloud, groups))
        print("without groups", round(min(clouds), 3), "to", round(max(clouds), 3))


def nearest(
    tokenizer,
    model,
    words,  # sense or None, sentence, first character of the word, one past its last
    words_file,  # None, or the table of all occurrences as CSV, which is read instead
    pooling,  # "mean", "first", "last" or "max"
    layer,
    number,  # of the occurrence, counted from 1
):
    """The occurrences of a word that are nearest to one of them, by cosine.

    Of more than 200 it reads the page's table of all: put that, saved as CSV, beside this program.
    """
    words = words_of(words_file) if words_file else words
    vectors = vectors_of(tokenizer, model, words, pooling)[layer]
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    cosines = units @ units[number - 1]
    drawn = np.random.default_rng(0).permutation(len(units))[:300]  # of many, as the page does
    pairs = (units[drawn] @ units[drawn].T)[np.triu_indices(len(drawn), 1)]
    others = [i for i in np.argsort(-cosines, kind="stable") if i != number - 1]
    for i in others[:10]:
        below = (pairs < cosines[i] - 1e-6).mean() / 2 + (pairs <= cosines[i] + 1e-6).mean() / 2
        print(f"number {i + 1} cosine {cosines[i]:.4f} higher than {100 * below:.0f}% of the pairs")


def scores(
    tokenizer,
    model,
    words,  # sense or None, sentence, first character of the word, one past its last
    words_file,  # None, or the table of all occurrences as CSV, which is read instead
    pooling,  # "mean", "first", "last" or "max"
    layer,  # intervals are of this one
):
    """How well cosines tell the labelled senses of a word apart, at each layer.

    Of more than 200 it reads the page's table of all: put that, saved as CSV, beside this program.
    """
    words = with_sense(words_of(words_file) if words_file else words)
    by_layer = vectors_of(tokenizer, model, words, pooling)
    by_layer /= np.linalg.norm(by_layer, axis=2, keepdims=True)

    count = len(words)
    first, second = np.triu_indices(count, 1)
    _, labels = np.unique([word[0] for word in words], return_inverse=True)
    same_sense = labels[first] == labels[second]
    cosines = np.stack([(unit @ unit.T)[first, second].round(6) for unit in by_layer], axis=1)

    ranks = rankdata(cosines, axis=0)
    orders = np.random.default_rng(0).permuted(np.tile(labels, (300, 1)), axis=1)
    shuffles = []
    for order in orders:
        same = order[first] == order[second]
        most = same.sum() * (~same).sum()
        shuffles.append((ranks[same].sum(axis=0) - same.sum() * (same.sum() + 1) / 2) / most)
    print("shuffled labels, best layer", round(np.percentile(np.max(shuffles, axis=1), 95), 4))

    def nearest_sense(units: np.ndarray, i: int) -> int:
        """The sense whose centroid is nearest to an occurrence, which is itself left out."""
        others = np.arange(count) != i
        centroids = {
            label: units[others & (labels == label)].mean(axis=0) for label in set(labels[others])
        }
        return min(centroids, key=lambda label: np.linalg.norm(units[i] - centroids[label]))

    for number, units in enumerate(by_layer):
        nearest = np.array([nearest_sense(units, i) for i in range(count)])
        print(
            f"layer {number} AUC {roc_auc_score(same_sense, cosines[:, number]):.4f}",
            f"shuffled {np.percentile(np.array(shuffles)[:, number], 95):.4f}",
            f"nearest centroid {np.mean(nearest == labels):.4f}",
        )
        if number == layer:
            right = binomtest(int((nearest == labels).sum()), count).proportion_ci(method="wilson")

    low, high = auc_interval(same_sense, cosines[:, layer])
    print(f"layer {layer} AUC from {low:.4f} to {high:.4f}")
    print(f"    nearest centroid from {right.low:.4f} to {right.high:.4f}")


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

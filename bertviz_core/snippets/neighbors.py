"""Rows of the token embedding matrix near to a query."""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances
from sklearn.preprocessing import normalize

from bertviz_core.snippets.shared import allowed


def neighbors(
    tokenizer,
    model,
    terms,  # sign, token ids of a word or its pieces
    k,
    metric,  # "cosine", "dot" or "euclidean"
    keep,  # "all", "words" or "subwords"
    unused,  # whether [unused...] rows may be answers
    count_own,  # whether rows that make up the query may be answers
):
    """The rows of the token table nearest to a sum of words."""
    table = model.embeddings.word_embeddings.weight.detach().double().numpy()
    vectors = [table[ids].mean(axis=0) for _, ids in terms]
    query = sum(sign * vector for (sign, _), vector in zip(terms, vectors, strict=True))
    if metric == "cosine":
        scores = cosine_similarity([query], table)[0]
    elif metric == "dot":
        scores = table @ query
    else:
        scores = euclidean_distances([query], table)[0]  # low is near
    order = (
        scores.argsort(kind="stable") if metric == "euclidean" else (-scores).argsort(kind="stable")
    )

    tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
    own = {i for _, ids in terms for i in ids}
    found = [
        i
        for i in order
        if allowed(tokens[i], keep, tokenizer.all_special_tokens)
        and (unused or not tokens[i].startswith("[unused"))
    ]
    answers = [i for i in found if count_own or i not in own][:k]
    for rank, i in enumerate(found[: found.index(answers[-1]) + 1], start=1):
        print(rank, tokens[i], f"{scores[i]:.4f}", "" if i in answers else "left out")

    best = next(i for i in found if i not in own)  # and each term by itself
    for (sign, ids), vector in zip(terms, vectors, strict=True):
        cosine = cosine_similarity([vector], [table[best]])[0, 0]
        print("+" if sign > 0 else "-", *(tokens[i] for i in ids), tokens[best], f"{cosine:.4f}")


def token_map(
    tokenizer,
    model,
    map_of,  # "PCA" or "t-SNE", which takes some minutes
    rows,  # token ids whose points are printed
):
    """The token table as points on a plane, and how many of the nearest rows are near there."""
    table = model.embeddings.word_embeddings.weight.detach().numpy()
    if map_of == "PCA":
        points = PCA(2, svd_solver="full").fit_transform(table)
    else:
        units = normalize(table)  # between rows of length 1 the squared distance is 2 - 2 cosines
        start = PCA(2, svd_solver="full").fit_transform(units)
        start *= 1e-4 / start[:, 0].std()
        perplexity = min(30, (len(table) - 1) / 3)
        points = TSNE(2, perplexity=perplexity, init=start, random_state=0).fit_transform(units)
        low, high = points.min(axis=0), points.max(axis=0)
        points = (points - (low + high) / 2) / (max(high - low) / 2)
    tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
    for row in rows:
        print(row, tokens[row], *(f"{number:.4f}" for number in points[row]))

    near = min(100, max((len(table) - 1) // 10, 1))
    nearest = min(10, near)
    special = tokenizer.all_special_tokens
    ordinary = [i for i, t in enumerate(tokens) if t not in special and not t.startswith("[unused")]
    drawn = np.random.default_rng(0).permutation(ordinary)[:500]
    cosines = cosine_similarity(table[drawn], table)
    distances = euclidean_distances(points[drawn], points)
    themselves = np.arange(len(drawn)), drawn
    cosines[themselves], distances[themselves] = -np.inf, np.inf
    kept = [
        np.isin((-cosine).argsort()[:nearest], distance.argsort()[:near]).mean()
        for cosine, distance in zip(cosines, distances, strict=True)
    ]
    print(f"{np.mean(kept):.4f} of the {nearest} nearest rows are among the {near} nearest points")

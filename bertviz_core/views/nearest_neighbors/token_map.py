"""The map of the token table: every row a point, those of searches highlighted."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KIND_NAMES
from bertviz_core.neighbors import Neighbors, TokenMap, pca_map
from bertviz_core.neighbors.token_map import (
    NEAR,
    NEAREST,
    kept_by_chance,
    nearest_on_map,
    sampled,
    shipped_map,
)
from bertviz_core.shared.results import slow_once
from bertviz_core.views.declare import view
from bertviz_core.views.nearest_neighbors.map_figure import (
    Cloud,
    cloud_of,
    highlights,
    map_figure,
)
from bertviz_core.views.parts import Overlay, Part
from bertviz_core.views.view import View, beside, caption, picture, program, say, table

NAME = "token-map"


@slow_once
def map_of(bert: Bert) -> TokenMap:
    """The map of a model's token table: by t-SNE if one ships, else by PCA."""
    return shipped_map(bert) or pca_map(bert)


@slow_once
def _cloud(bert: Bert) -> Cloud:
    return cloud_of(map_of(bert).points, bert.vocabulary.tokens, bert.vocabulary.kinds)


def _name(layout: TokenMap) -> str:
    return "PCA" if layout.explained else "t-SNE"


# The headline where nothing is searched; else the map is beside the bars.
@view("map of the token table", page="Nearest Neighbors", rank=0)
def token_map(bert: Bert) -> View:
    """Every row of the token table as a point."""
    layout = map_of(bert)
    first_rows = list(range(bert.vocab_size))[:10]
    return View(
        beside(
            [
                say(
                    "<b>{map-kept} of {nearest-rows}</b> true neighbors of a token are also near "
                    "it on this map (by chance {map-chance}).",
                    method="map-of-the-token-table",
                    **{
                        "map-kept": f"{NEAREST * layout.kept:.1f}",
                        "nearest-rows": f"{NEAREST}",
                        "map-chance": f"{NEAREST * kept_by_chance(len(layout.points)):.2f}",
                    },
                ),
                caption(
                    "Each point is a token. Point at the map to read names. Near: among the "
                    "{near-points} nearest points, measured on {sample} tokens."
                    + (" Its axes hold {shares} of the variance." if layout.explained else ""),
                    **{"near-points": f"{NEAR}", "sample": f"{len(sampled(bert)):,}"},
                    shares=" and ".join(f"{share:.1%}" for share in layout.explained),
                ),
            ],
            map_parts(bert, {}),
        ),
        table(lambda: _columns(bert, layout), name=NAME, fold=f"All {bert.vocab_size:,} tokens"),
        program(PROGRAM, bert, map_of=_name(layout), rows=first_rows, name="token_map"),
        made={"points": _name(layout)},
    )


def _columns(bert: Bert, layout: TokenMap) -> dict[str, Any]:
    words = bert.vocabulary
    return {
        "token": words.tokens,
        "token id": np.arange(len(words.tokens)),
        "kind": [KIND_NAMES[kind] for kind in words.kinds.tolist()],
        "length": bert.tables.word_norms,
        "x": layout.points[:, 0],
        "y": layout.points[:, 1],
    }


def map_parts(bert: Bert, answered: Mapping[str, Neighbors]) -> list[Part]:
    """The picture of the map, what searches highlight on it, and a line below for each."""
    layout = map_of(bert)
    return [
        Overlay(NAME, highlights(layout.points, bert.vocabulary.tokens, answered.values())),
        picture(
            map_figure(_cloud(bert)),
            # The same whatever is highlighted: another text is another chart.
            alt=f"Map of the {bert.vocab_size:,} rows of the token table by {_name(layout)}, "
            "colored by kind. What is highlighted is listed beside it.",
            name=NAME,
            typed=False,
        ),
        *(_near(layout, *one) for one in answered.items()),
    ]


def _near(layout: TokenMap, query: str, neighbors: Neighbors) -> Part:
    """How many of a token's neighbors are close to it on the map."""
    query_ids = neighbors.own_ids
    if len(query_ids) > 1:
        return caption(
            "{query} is not one token, so it has no point. Its parts and its neighbors are "
            "highlighted.",
            query=query,
        )
    near = np.isin(neighbors.token_ids, nearest_on_map(layout.points, query_ids[0], NEAR)).sum()
    return caption(
        "{near-here} of {searched} true neighbors of {query} are also near it on this map.",
        query=query,
        **{"near-here": f"{near}", "searched": f"{len(neighbors.token_ids)}"},
    )


PROGRAM = '''
"""The token table as points on a plane, and how many of the nearest rows are near there."""

map_of = ...  # "PCA" or "t-SNE", which takes some minutes
rows = ...  # token ids whose points are printed
reached = ...
tokenizer, model = ...
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
ordinary = [i for i in sorted(reached(tokenizer)) if tokens[i] not in special]
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
'''

"""The map of the token table: every row a point, those of searches highlighted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KIND_NAMES
from bertviz_core.neighbors import Neighbors, TokenMap, pca_map
from bertviz_core.neighbors.token_map import (
    NEAR,
    NEAREST,
    kept_by_chance,
    nearest_on_map,
    sampled,
)
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.nearest_neighbors.map_figure import (
    Cloud,
    Found,
    cloud,
    highlights,
    map_figure,
)
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.view import Overlay, Part, View

NAME = "token-map"
TSNE, PCA = "t-SNE", "PCA"
_pca = once(pca_map)


@view(
    "map of the token table",
    page="Nearest Neighbors",
    rank=0,  # where nothing is searched; else it is beside the bars
)
def token_map(
    bert: Bert,
    layout: TokenMap | None = None,
    mapby: Annotated[
        str,
        Choice(
            "Place points by",
            (TSNE, PCA),
            about="how the map places its points",
            help="t-SNE: near rows stay near; distances between groups mean nothing. PCA: the two "
            "directions in which the rows vary most.",
        ),
    ] = TSNE,
) -> View:
    """Every row of the token table as a point."""
    shown = Map.of(bert, layout, mapby)
    drawn, rows = shown.drawn, list(range(bert.vocab_size))[:10]
    return View(
        beside(
            [
                say(
                    "<b>{map-kept} of {nearest-rows}</b> true neighbors of a token are also near "
                    "it on this map (by chance {map-chance}).",
                    method="map-of-the-token-table",
                    **{
                        "map-kept": f"{NEAREST * drawn.kept:.1f}",
                        "nearest-rows": f"{NEAREST}",
                        "map-chance": f"{NEAREST * kept_by_chance(len(drawn.points)):.2f}",
                    },
                ),
                caption(
                    "Each point is a token. Point at the map to read names. Near: among the "
                    "{near-points} nearest points, measured on {sample} tokens."
                    + (
                        " The two directions hold {shares} of the variance."
                        if drawn.explained
                        else ""
                    ),
                    **{"near-points": f"{NEAR}", "sample": f"{len(sampled(bert)):,}"},
                    shares=" and ".join(f"{share:.1%}" for share in drawn.explained),
                ),
            ],
            shown.parts({}),
        ),
        table(shown.columns, name=NAME, fold=f"All {bert.vocab_size:,} tokens"),
        program(PROGRAM, bert, map_of=shown.by, rows=rows, name="token_map"),
        made={"points": shown.by},
    )


@dataclass(frozen=True, eq=False)
class Map:
    """The map of a model's token table, for a page to show beside what was searched."""

    bert: Bert
    by: str
    drawn: TokenMap
    cloud: Cloud

    @classmethod
    def of(cls, bert: Bert, layout: TokenMap | None, by: str) -> Self:
        """By t-SNE where it is asked for and there is a layout; otherwise a PCA."""
        if layout is None or by == PCA:
            by, layout = PCA, _pca(bert)
        return cls(bert, by, layout, _cloud(bert, by, layout.points))

    def parts(self, found: Mapping[str, Neighbors]) -> list[Part]:
        """The picture, and what searches highlight on it."""
        points, tokens = self.drawn.points, self.bert.vocabulary.tokens
        searches = [
            Found(one.own_ids.tolist(), one.token_ids[~one.is_own].tolist())
            for one in found.values()
        ]
        return [
            Overlay(NAME, highlights(points, tokens, searches, self.cloud)),
            picture(
                map_figure(self.cloud),
                # The same whatever is highlighted: another text is another chart.
                alt=f"Map of the {len(points):,} rows of the token table by {self.by}, colored by "
                "kind. What is highlighted is listed beside it.",
                name=NAME,
                typed=False,
            ),
        ]

    def near(self, query: str, found: Neighbors) -> Part:
        """How many of a token's neighbors are close to it on the map."""
        own, neighbors = found.own_ids, found.token_ids[~found.is_own]
        if len(own) > 1:
            return caption(
                "{query} is not one token, so it has no point. Its parts and its neighbors are "
                "highlighted.",
                query=query,
            )
        near = np.isin(neighbors, nearest_on_map(self.drawn.points, own[0], NEAR)).sum()
        return caption(
            "{near-here} of {searched} true neighbors of {query} are also near it on this map.",
            query=query,
            **{"near-here": f"{near}", "searched": f"{len(neighbors)}"},
        )

    def columns(self) -> dict[str, Any]:
        """What is known of each row of the token table."""
        words = self.bert.vocabulary
        return {
            "token": words.tokens,
            "token id": np.arange(len(words.tokens)),
            "kind": [KIND_NAMES[kind] for kind in words.kinds.tolist()],
            "length": self.bert.tables.word_norms,
            "x": self.drawn.points[:, 0],
            "y": self.drawn.points[:, 1],
        }


@once
def _cloud(bert: Bert, by: str, _points: Array) -> Cloud:
    return cloud(_points, bert.vocabulary.tokens, bert.vocabulary.kinds)


PROGRAM = '''
"""The token table as points on a plane, and how many of the nearest rows are near there."""

map_of = ...  # "PCA" or "t-SNE", which takes some minutes
rows = ...  # token ids whose points are printed
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
'''

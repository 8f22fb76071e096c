"""The map of the token table: every row a point, some highlighted, and lists of what is near."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KIND_NAMES, KINDS
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors import TokenMap, nearest_tokens, pca_map
from bertviz_core.neighbors.token_map import (
    NEAR,
    NEAREST,
    kept_by_chance,
    nearest_on_map,
    rows_within,
    sampled,
)
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Line
from bertviz_core.views.nearest_neighbors.map_figure import (
    Cloud,
    Colors,
    by_kind,
    by_number,
    cloud,
    highlights,
    map_figure,
)
from bertviz_core.views.nearest_neighbors.search import Search
from bertviz_core.views.parts import alert, caption, picture, program, say, table
from bertviz_core.views.view import Overlay, Part, View

NAME = "token-map"
TSNE, PCA = "t-SNE", "PCA"
KIND, LENGTH, ID = "kind", "length", "id"
NUMBERS = {LENGTH: "length of the row", ID: "token id"}
MOST_LISTED = 1000
_pca = once(pca_map)
Corners = tuple[tuple[Any, Any], ...]  # of boxes or lassos: the values of x and those of y
Lists = list[tuple[list[int], list[int]]]  # of each search its own rows, and those near


@view("map of the token table", page="Nearest Neighbors", rank=10)
def token_map(
    bert: Bert,
    search: Search,
    layout: TokenMap | None = None,
    boxes: Corners = (),
    lassos: Corners = (),
    mapby: Annotated[
        str,
        Choice(
            "Place points by",
            (TSNE, PCA),
            about="how the map places its points",
            help="t-SNE: near rows stay near, distances between groups mean nothing. PCA: the two "
            "directions in which the rows vary most.",
        ),
    ] = TSNE,
    mapcolor: Annotated[
        str, Choice("Colour by", (KIND, LENGTH, ID), about="how the map colours them")
    ] = KIND,
    find: Annotated[
        str, Line("Find a token on the map", placeholder="none", about="a token to find on the map")
    ] = "",
) -> View:
    """Every row of the token table as a point; searches are highlighted, regions are listed."""
    by = PCA if layout is None or mapby == PCA else TSNE
    drawn = _pca(bert) if layout is None or mapby == PCA else layout
    points, shown = drawn.points, _cloud(bert, by, mapcolor, layout)
    titles = [f"{by} {number}" for number in (1, 2)]
    for number, share in enumerate(drawn.explained):
        titles[number] += f" ({share:.1%} of the variance)"
    found, lists, problem = _searches(bert, search, find)
    region = rows_within(points, boxes, lassos)
    return View(
        say(
            "Of a token's {nearest-rows} nearest neighbours, <b>{map-kept}</b> are near on this "
            "map (by chance {map-chance}).",
            method="map-of-the-token-table",
            **{
                "map-kept": f"{drawn.kept:.0%}",
                "nearest-rows": f"{NEAREST}",
                "map-chance": f"{kept_by_chance(len(points)):.1%}",
            },
        ),
        alert(problem) if problem else [],
        Overlay(
            NAME,
            lambda dark, large: highlights(
                points, bert.vocabulary.tokens, lists, shown, dark=dark, large=large
            ),
        ),
        [_near(bert, drawn, query, *one) for query, one in zip(found, lists, strict=True)],
        picture(
            map_figure(shown, _colors(bert, mapcolor), (titles[0], titles[1])),
            # The same whatever is highlighted: another text is another chart, without its zoom.
            alt=f"Map of the {len(points):,} rows of the token table by {by}, coloured by "
            f"{mapcolor}; what is highlighted is listed above, what is chosen below.",
            name=NAME,
            follows="_token_map_point",  # no point can be clicked; boxes and lassos can be drawn
            typed=False,
        ),
        caption(
            "Near: among the {near-points} nearest points; measured on {sample} tokens. Point "
            "anywhere to read the tokens there with their ids; box or lasso in the chart's menu "
            "lists a region. The words printed on the map are those with the lowest id, one for "
            "each part of it.",
            **{"near-points": f"{NEAR}", "sample": f"{len(sampled(bert)):,}"},
        ),
        _region(bert, drawn, region) if len(region) else [],
        _table_and_program(bert, drawn, by, lists[0] if lists else None),
        made={"points": by},
    )


def _searches(bert: Bert, search: Search, find: str) -> tuple[list[str], Lists, str]:
    """The queries, their rows, and what is wrong with the token to find."""
    found, problem = search.answered(bert), ""
    if find := find.strip():
        try:
            found = {find: nearest_tokens(bert, find, NEAREST)} | found
        except UserInputError as error:
            problem = str(error)
    lists = [(s.own_ids.tolist(), s.token_ids[~s.is_own].tolist()) for s in found.values()]
    return list(found), lists, problem


def _near(
    bert: Bert, drawn: TokenMap, query: str, own: Sequence[int], neighbors: Sequence[int]
) -> Part:
    """List a token's neighbours, and say how many are near on the map."""
    listed = ", ".join(bert.vocabulary.tokens[row] for row in neighbors)
    if len(own) > 1:
        return caption(
            "{query} is not one row, so it has no point. Highlighted: its parts, and {listed}.",
            query=query,
            listed=listed,
        )
    near = np.isin(neighbors, nearest_on_map(drawn.points, own[0], NEAR)).sum()
    return caption(
        "{query}: {listed}. Near on the map: {near-here} of {searched}.",
        query=query,
        listed=listed,
        **{"near-here": f"{near}", "searched": f"{len(neighbors)}"},
    )


def _region(bert: Bert, drawn: TokenMap, region: Ids) -> list[Part]:
    first = ", ".join(bert.vocabulary.tokens[row] for row in region[:8].tolist())
    parts: list[Part] = [
        say(
            "<b>{in-region}</b> tokens in the region: {first-tokens}.",
            method="map-of-the-token-table",
            **{
                "in-region": f"{len(region):,}",
                "first-tokens": first + (", …" if len(region) > 8 else ""),
            },
        ),
        table(_columns(bert, drawn, region[:MOST_LISTED]), name="region"),
    ]
    if len(region) > MOST_LISTED:
        label = f"All {len(region):,} tokens of the region"
        every = table(
            lambda: _columns(bert, drawn, region), name="region-all", fold=label, is_file=True
        )
        parts.append(every)
    return parts


def _table_and_program(
    bert: Bert, drawn: TokenMap, by: str, first: tuple[list[int], list[int]] | None
) -> list[Part]:
    every = np.arange(bert.vocab_size)
    ids = every[:MOST_LISTED] if first is None else np.array([*first[0], *first[1]])
    return [
        table(
            lambda: _columns(bert, drawn, ids),
            name=NAME,
            fold="Table",
            files={
                f"All {bert.vocab_size:,} points": (
                    "token-map-all",
                    lambda: _columns(bert, drawn, every),
                )
            },
        ),
        program("neighbors/token_map", bert, map_of=by, rows=ids[:10].tolist()),
    ]


def _columns(bert: Bert, drawn: TokenMap, ids: Ids) -> dict[str, Any]:
    words = bert.vocabulary
    return {
        "token": [words.tokens[row] for row in ids.tolist()],
        "token id": ids,
        "kind": [KIND_NAMES[kind] for kind in words.kinds[ids].tolist()],
        "length": bert.tables.word_norms[ids],
        "x": drawn.points[ids, 0],
        "y": drawn.points[ids, 1],
    }


def _colors(bert: Bert, color: str) -> Colors:
    if color == KIND:
        return by_kind(bert.vocabulary.kinds, KIND_NAMES)
    values = bert.tables.word_norms if color == LENGTH else np.arange(bert.vocab_size)
    return by_number(values, NUMBERS[color])


@once
def _cloud(bert: Bert, by: str, color: str, _layout: TokenMap | None) -> Cloud:
    drawn = _layout if by == TSNE and _layout is not None else _pca(bert)
    words = bert.vocabulary
    named = words.kinds == KINDS.index("word")
    named &= [token.isalpha() for token in words.tokens]  # and not a sign such as ½
    return cloud(drawn.points, words.tokens, _colors(bert, color), named)

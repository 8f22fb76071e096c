"""The map of the token table: rows as points, some highlighted, and lists of what is near."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KIND_NAMES, KINDS
from bertviz_core.figures.highlight import highlights
from bertviz_core.figures.neighbors_map import (
    HEIGHT,
    Cloud,
    Colors,
    by_kind,
    by_number,
    cloud,
    token_map,
)
from bertviz_core.neighbors import Neighbors, TokenMap, nearest_tokens
from bertviz_core.neighbors.token_map import (
    NEAR,
    NEAREST,
    kept_by_chance,
    nearest_on_map,
    rows_within,
    sampled,
)
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.errors import errors_shown, fragment
from bertviz_core.ui.html import caption, chart_lines, finding
from bertviz_core.ui.nearest_neighbors.layouts import layout_of, offer_layout, pca_of
from bertviz_core.ui.present import presenting
from bertviz_core.ui.results import models
from bertviz_core.ui.show import chart, code, csv_download, folded_table, table

NAME = "token-map"
TSNE, PCA = "t-SNE", "PCA"
KIND, LENGTH, ID = "kind", "length", "id"
NUMBERS = {LENGTH: "length of the row", ID: "token id"}
MOST_LISTED = 1000
PRESENTED = 335  # pixels, before they are made larger; so the finding and the map fill a screen


class Shown(NamedTuple):
    """The map in view."""

    map: TokenMap
    place: str
    color: str
    cloud: Cloud


def map_inputs(bert: Bert, answered: Mapping[str, Neighbors]) -> Shown:
    """Ask how points are placed, what colours them, and for a token to light.

    Args:
        bert: The model in use.
        answered: Searches that are highlighted in any case, by their query.
    """
    left, middle, right = slots.row("map", [3, 4, 11])
    with left:
        place = inputs.choice(
            "Place points by",
            (TSNE, PCA),
            key="mapby",
            help="t-SNE: near rows stay near, distances between groups mean nothing. PCA: the two "
            "directions in which the rows vary most.",
        )
    with middle:
        color = inputs.choice("Colour by", (KIND, LENGTH, ID), key="mapcolor")
    layout = layout_of(bert) if place == TSNE else None
    by = PCA if layout is None else TSNE
    shown = Shown(layout or pca_of(bert.name), place, color, _cloud(bert.name, by, color))
    with right, slots.part("find"):
        _find(bert, shown, answered)
    return shown


@fragment
def _find(bert: Bert, shown: Shown, answered: Mapping[str, Neighbors]) -> None:
    """Light searches on the map; it runs without the map, which stays as it is."""
    field, said = slots.row("found", [2, 3])
    with field:
        typed = inputs.sentence("Find a token on the map", "", key="find", placeholder="none")
    typed = typed.strip()
    searches = dict(answered)
    if typed:
        with said, errors_shown(stop=False):
            searches = {typed: nearest_tokens(bert, typed, NEAREST)} | searches
    points, tokens = shown.map.points, bert.vocabulary.tokens
    lists = [(s.own_ids.tolist(), s.token_ids[~s.is_own].tolist()) for s in searches.values()]
    large = presenting()
    shapes, labels = highlights(
        points,
        tokens,
        lists,
        shown.cloud,
        dark=st.context.theme.type == "dark",
        large=large,
        height=PRESENTED if large else HEIGHT,
    )
    with said:
        chart_lines(NAME, shapes, labels)
        for query, (own, neighbors) in zip(searches, lists, strict=True):
            _say_near(bert, shown.map, query, own, neighbors)


def _say_near(
    bert: Bert, shown: TokenMap, query: str, own: Sequence[int], neighbors: Sequence[int]
) -> None:
    """List a token's neighbours, and say how many are near on the map."""
    listed = ", ".join(bert.vocabulary.tokens[row] for row in neighbors)
    if len(own) > 1:
        caption(
            "{query} is not one row, so it has no point. Highlighted: its parts, and {listed}.",
            query=query,
            listed=listed,
        )
        return
    near = np.isin(neighbors, nearest_on_map(shown.points, own[0], NEAR))
    caption(
        "{query}: {listed}. Near on the map: {near-here} of {searched}.",
        **{
            "query": query,
            "listed": listed,
            "near-here": f"{near.sum()}",
            "searched": f"{len(neighbors)}",
        },
    )


def map_of_tokens(bert: Bert, shown: Shown, answered: Mapping[str, Neighbors]) -> None:
    """Draw the map and list what is chosen on it.

    Args:
        bert: The model in use.
        shown: From `map_inputs`.
        answered: Searches that are highlighted; the table lists the first one's rows.
    """
    if shown.place == TSNE and shown.map.explained:
        offer_layout(bert)
    _draw(bert, shown, answered)


def _draw(bert: Bert, shown: Shown, answered: Mapping[str, Neighbors]) -> None:
    points, explained = shown.map.points, shown.map.explained
    by = PCA if explained else TSNE
    finding(
        "Of a token's {nearest-rows} nearest neighbours, <b>{map-kept}</b> are near on this map "
        "(by chance {map-chance}).",
        method="map-of-the-token-table",
        **{
            "map-kept": f"{shown.map.kept:.0%}",
            "nearest-rows": f"{NEAREST}",
            "map-chance": f"{kept_by_chance(len(points)):.1%}",
        },
    )
    titles = [f"{by} {number}" for number in (1, 2)]
    for number, share in enumerate(explained):
        titles[number] += f" ({share:.1%} of the variance)"
    chart(
        token_map(
            shown.cloud,
            _colors(bert, shown.color),
            (titles[0], titles[1]),
            height=PRESENTED if presenting() else HEIGHT,
        ),
        # The same whatever is highlighted: another text is another chart, without its zoom.
        alt=f"Map of the {len(points):,} rows of the token table by {by}, coloured by "
        f"{shown.color}; what is highlighted is listed above, what is chosen below.",
        name=NAME,
        follows="_token_map_point",  # no point can be clicked; boxes and lassos can be drawn
        of={"points": by},
        typed=False,
    )
    caption(
        "Near: among the {near-points} nearest points; measured on {sample} tokens. Point anywhere "
        "to read the tokens there with their ids; box or lasso in the chart's menu lists a region. "
        "The words printed on the map are those with the lowest id, one for each part of it.",
        **{"near-points": f"{NEAR}", "sample": f"{len(sampled(bert)):,}"},
    )
    region = rows_within(points, *_regions())
    if len(region):
        _list_region(bert, shown.map, region)
    _table_and_code(bert, shown.map, by, next(iter(answered.values()), None))


def _regions() -> tuple[list[Any], list[Any]]:
    """What was drawn on the map last: boxes, and lassos."""
    selection = (st.session_state.get(f"chart_{NAME}") or {}).get("selection", {})
    boxes, lassos = ([(r["x"], r["y"]) for r in selection.get(k, [])] for k in ("box", "lasso"))
    return boxes, lassos


def _list_region(bert: Bert, shown: TokenMap, region: Ids) -> None:
    first = ", ".join(bert.vocabulary.tokens[row] for row in region[:8].tolist())
    finding(
        "<b>{in-region}</b> tokens in the region: {first-tokens}.",
        method="map-of-the-token-table",
        **{
            "in-region": f"{len(region):,}",
            "first-tokens": first + (", …" if len(region) > 8 else ""),
        },
    )
    table(_columns(bert, shown, region[:MOST_LISTED]), name="region")
    if len(region) > MOST_LISTED:
        csv_download(
            f"All {len(region):,} tokens of the region",
            lambda: _columns(bert, shown, region),
            name="region-all",
        )


def _table_and_code(bert: Bert, shown: TokenMap, by: str, first: Neighbors | None) -> None:
    every = np.arange(bert.vocab_size)
    if first is None:
        ids = every[:MOST_LISTED]
    else:
        ids = np.concatenate([first.own_ids, first.token_ids[~first.is_own]])
    folded_table(
        "Table",
        lambda: _columns(bert, shown, ids),
        key="table-map",
        name=NAME,
        files={
            f"All {bert.vocab_size:,} points": (
                "token-map-all",
                lambda: _columns(bert, shown, every),
            )
        },
        of={"points": by},
    )
    code("neighbors/token_map", bert, map_of=by, rows=ids[:10].tolist())


def _columns(bert: Bert, shown: TokenMap, ids: Ids) -> dict[str, Any]:
    words = bert.vocabulary
    return {
        "token": [words.tokens[row] for row in ids.tolist()],
        "token id": ids,
        "kind": [KIND_NAMES[kind] for kind in words.kinds[ids].tolist()],
        "length": bert.tables.word_norms[ids],
        "x": shown.points[ids, 0],
        "y": shown.points[ids, 1],
    }


def _colors(bert: Bert, color: str) -> Colors:
    if color == KIND:
        return by_kind(bert.vocabulary.kinds, KIND_NAMES)
    values = bert.tables.word_norms if color == LENGTH else np.arange(bert.vocab_size)
    return by_number(values, NUMBERS[color])


@st.cache_resource(max_entries=6, show_spinner=False)
def _cloud(name: str, by: str, color: str) -> Cloud:
    bert = models.bert(name)
    layout = pca_of(name) if by == PCA else layout_of(bert)
    assert layout is not None, "it was there a moment ago, and stays"
    words = bert.vocabulary
    named = words.kinds == KINDS.index("word")
    named &= [token.isalpha() for token in words.tokens]  # and not a sign such as ½
    return cloud(layout.points, words.tokens, _colors(bert, color), named)

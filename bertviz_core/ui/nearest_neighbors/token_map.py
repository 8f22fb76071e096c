"""The map of the token table: every row as a point, some of them lit, and lists of what is near."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KIND_NAMES, KINDS
from bertviz_core.figures.neighbors_lit import lit
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
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.html import caption, finding
from bertviz_core.ui.html import chart_lines as light
from bertviz_core.ui.nearest_neighbors.layouts import layout_of, offer_layout, pca_of
from bertviz_core.ui.present import presenting
from bertviz_core.ui.results import models
from bertviz_core.ui.show import chart, code, csv_download, folded_table, table

NAME = "token-map"
TSNE, PCA = "t-SNE", "PCA"
PLACES = {place: place for place in (TSNE, PCA)}
KIND, LENGTH, ID = "kind", "length", "id"
COLORS = {color: color for color in (KIND, LENGTH, ID)}
NUMBERS = {LENGTH: "length of the row", ID: "token id"}
MOST_LISTED = 1000
PRESENTED = 335  # pixels, before they are made larger; so the finding and the map fill a screen


class Wanted(NamedTuple):
    """What to light on the map, and how to draw it."""

    find: str
    place: str
    color: str


def map_inputs() -> Wanted:
    """Ask for a token to light, how points are placed and what colours them."""
    with slots.cells("map", 3):
        find = inputs.sentence("Find a token on the map", "", key="find", placeholder="none")
        place = inputs.choice(
            "Place points by",
            PLACES,
            key="mapby",
            help="t-SNE: near rows stay near, distances between groups mean nothing. PCA: the two "
            "directions in which the rows vary most.",
        )
        color = inputs.choice("Colour by", COLORS, key="mapcolor")
    return Wanted(find.strip(), place, color)


def map_of_tokens(bert: Bert, wanted: Wanted, answered: Mapping[str, Neighbors]) -> None:
    """Draw the map, light searches on it, and list what is chosen there.

    Args:
        bert: The model in use.
        wanted: From `map_inputs`.
        answered: Searches that are lit in any case, by their query.
    """
    searches = dict(answered)
    if wanted.find:
        with errors_shown(stop=False):
            searches = {wanted.find: nearest_tokens(bert, wanted.find, NEAREST)} | searches
    layout = layout_of(bert) if wanted.place == TSNE else None
    if wanted.place == TSNE and layout is None:
        offer_layout(bert)
    _draw(bert, layout or pca_of(bert.name), wanted.color, searches)


def _draw(bert: Bert, shown: TokenMap, color: str, searches: Mapping[str, Neighbors]) -> None:
    points, tokens = shown.points, bert.vocabulary.tokens
    by = PCA if shown.explained else TSNE
    finding(
        "Of a token's {nearest-rows} nearest neighbours, <b>{map-kept}</b> are near on this map "
        "(by chance {map-chance}).",
        method="map-of-the-token-table",
        **{
            "map-kept": f"{shown.kept:.0%}",
            "nearest-rows": f"{NEAREST}",
            "map-chance": f"{kept_by_chance(len(points)):.1%}",
        },
    )
    drawn = _cloud(bert.name, by, color)
    titles = [f"{by} {number}" for number in (1, 2)]
    for number, share in enumerate(shown.explained):
        titles[number] += f" ({share:.1%} of the variance)"
    height = PRESENTED if presenting() else HEIGHT
    chart(
        token_map(drawn, _colors(bert, color), (titles[0], titles[1]), height=height),
        # The same whatever is lit: another text would be another chart, without its zoom.
        alt=f"Map of the {len(points):,} rows of the token table by {by}, coloured by {color}; "
        "what is lit, and what is chosen, is listed below.",
        name=NAME,
        follows="_token_map_point",  # no point can be clicked; boxes and lassos can be drawn
        of={"points": by},
    )
    lists = [(s.own_ids.tolist(), s.token_ids[~s.is_own].tolist()) for s in searches.values()]
    look = {"dark": st.context.theme.type == "dark", "large": presenting()}
    light(NAME, *lit(points, tokens, lists, drawn, height=height, **look))
    caption(
        "Near: among the {near-points} nearest points; measured on {sample} tokens. Point anywhere "
        "to read the tokens there; box or lasso in the chart's menu lists a region. In letters: of "
        "each part of the map the word with the lowest id.",
        **{"near-points": f"{NEAR}", "sample": f"{len(sampled(bert)):,}"},
    )
    region = rows_within(points, *_regions())
    if len(region):
        _list_region(bert, shown, region)
    for query, neighbors in searches.items():
        _say_near(bert, shown, query, neighbors)
    _table_and_code(bert, shown, by, next(iter(searches.values()), None))


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


def _say_near(bert: Bert, shown: TokenMap, query: str, neighbors: Neighbors) -> None:
    """Say how many of a token's neighbours are near on the map."""
    if len(neighbors.own_ids) > 1:
        caption(
            "{query} is no row of the table, so it has no point; its parts and neighbours are lit.",
            query=query,
        )
        return
    answers = neighbors.token_ids[~neighbors.is_own]
    near = np.isin(answers, nearest_on_map(shown.points, int(neighbors.own_ids[0]), NEAR))
    caption(
        "Of the {searched} neighbours of {query}, {near-here} are near on the map.",
        **{
            "near-here": f"{near.sum()}",
            "searched": f"{len(answers)}",
            "query": query,
        },
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

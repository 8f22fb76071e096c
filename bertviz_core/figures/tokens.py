"""How a text becomes tokens: the search for pieces, lines of many texts, segments."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, named, named_rows, numbered, titled
from bertviz_core.figures.colors import MARK, MUTED, SENTENCES, TOKEN, faint, steps
from bertviz_core.figures.drawing import Figure, draw, vertical_line
from bertviz_core.figures.template import MENU

Counts = NDArray[np.int64]
# Segment A and B as on the chips; what has no row stands out.
SEGMENT_COLORS = (SENTENCES[0], SENTENCES[2], SENTENCES[1])
MOST_WRITTEN = 20  # up to so many tokens have their segment written in the cell


def word_search_bars(
    word: str,
    pieces: Sequence[str],
    spans: Counts,
    token_ids: Sequence[int | None],
) -> Figure:
    """Draw every piece that was looked for as a bar over its characters, the first try on top.

    Args:
        word: The word searched.
        pieces: n pieces in the order tried.
        spans: int64 (n, 2), first and one-past-last character of each.
        token_ids: Row of each piece in the token table, or None where there is none.

    Returns:
        A bar chart with n bars; pieces of the vocabulary are filled, and named with their id.

    Raises:
        ValueError: There is not one span and one id a piece.

    Example:
        >>> spans = np.array([[0, 4], [0, 3], [3, 4]])
        >>> figure = word_search_bars("cats", ["cats", "cat", "##s"], spans, [None, 4937, 2015])
        >>> len(figure.data[0].y)
        3
    """
    if spans.shape != (len(pieces), 2) or len(token_ids) != len(pieces):
        raise ValueError(
            f"spans have shape {spans.shape}, pieces {(len(pieces),)}, ids {(len(token_ids),)}"
        )
    rows, hints, known = [], [], []
    for number, (piece, token_id) in enumerate(zip(pieces, token_ids, strict=True), start=1):
        name = label(piece)
        known.append(token_id is not None)
        rows.append(f"<b>{number} {name} = {token_id}</b>" if known[-1] else f"{number} {name}")
        hints.append(f"{name}: id {token_id}" if known[-1] else f"{name}: not in the vocabulary")
    bars = {
        "type": "bar",
        "base": spans[:, 0],
        "x": spans[:, 1] - spans[:, 0],
        "y": np.arange(len(pieces)),
        "orientation": "h",
        "marker": {
            "color": [TOKEN if hit else faint(MUTED, 0.16) for hit in known],
            "line": {"color": [TOKEN if hit else MUTED for hit in known], "width": 1},
        },
        "customdata": hints,
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    # The characters stand on top of the bars, below the chart's menu.
    characters = named(
        [label(character) for character in word],
        max(len(word), 1),
        tickvals=np.arange(len(word)) + 0.5,
        range=[0, max(len(word), 1)],
        side="top",
        tickangle=0,
        tickfont={"family": "monospace"},
    )
    return draw(
        [bars],
        height=20 * max(len(pieces), 2) + 84,
        bargap=0.2,
        margin={"t": MENU + 30},
        xaxis=characters,
        yaxis=named_rows(rows),
    )


def line_length_bars(
    lines: Sequence[str], words: Counts, further: Counts, special: Counts, *, room: int
) -> Figure:
    """Draw the tokens of each line as one bar of three parts, the first line on top.

    Args:
        lines: n labels.
        words: int64 (n,), tokens that start a word.
        further: int64 (n,), tokens that continue one.
        special: int64 (n,), tokens put around the line.
        room: How many tokens the model takes; marked where a line comes near.

    Returns:
        A stacked bar chart; each bar ends at the length of its line.

    Raises:
        ValueError: There is not one count of each kind a line.
    """
    parts = (
        ("start a word", words, TOKEN),
        ("continue a word", further, SENTENCES[-1]),
        ("[CLS] and [SEP]", special, MUTED),
    )
    for _, counts, _ in parts:
        if counts.shape != (len(lines),):
            raise ValueError(f"counts have shape {counts.shape}, lines {(len(lines),)}")
    names = numbered(lines, first=1)
    bars = [
        {
            "type": "bar",
            "x": counts,
            "y": np.arange(len(lines)),
            "orientation": "h",
            "name": name,
            "marker": {"color": color},
            "customdata": names,
            "hovertemplate": f"%{{customdata}}<br>%{{x}} tokens {name}<extra></extra>",
        }
        for name, counts, color in parts
    ]
    near = int((words + further + special).max(initial=1)) > 0.8 * room
    note = {"text": f"room for {room}", "x": room, "y": 1, "yref": "paper", "yanchor": "bottom"}
    return draw(
        bars,
        height=22 * max(len(lines), 2) + 190,
        legend=True,
        barmode="stack",
        bargap=0.25,
        shapes=[vertical_line(room, MARK, 2, "dash")] if near else [],
        annotations=[note] if near else [],
        xaxis=titled("tokens", zeroline=True, rangemode="tozero", tickformat=",d"),
        yaxis=named_rows(names),
    )


def segment_strip(segments: Counts, ways: Sequence[str], tokens: Sequence[str]) -> Figure:
    """Draw the segment of every token, a row for each way of telling it.

    Args:
        segments: int64 (n, seq_len), 0 for A, 1 for B, 2 and more for what has no name.
        ways: n labels.
        tokens: seq_len labels.

    Returns:
        A heatmap with one colour a segment; all from 2 on share one.

    Raises:
        ValueError: There is not one row a way and one column a token.
    """
    if segments.shape != (len(ways), len(tokens)):
        raise ValueError(f"segments have shape {segments.shape}, labels {(len(ways), len(tokens))}")
    last = len(SEGMENT_COLORS) - 1
    letters = np.array(["A", "B"], dtype=object)
    written = np.where(segments < 2, letters[np.minimum(segments, 1)], segments.astype(str))
    cells = {
        "type": "heatmap",
        "z": np.minimum(segments, last).astype(np.float32),
        "customdata": written,
        "colorscale": steps(SEGMENT_COLORS),
        "zmin": -0.5,
        "zmax": last + 0.5,
        "showscale": False,
        "xgap": 1 if len(tokens) <= 100 else 0,  # gaps between many would hide them
        "ygap": 6,
        "hovertemplate": "%{y}, token %{x}: segment %{customdata}<extra></extra>",
    }
    if len(tokens) <= MOST_WRITTEN:
        cells |= {
            "text": written,
            "texttemplate": "<b>%{text}</b>",
            "textfont": {"color": "#FFFFFF", "size": 19},  # large: white on green has 3.4 : 1
        }
    return draw(
        [cells],
        height=52 * len(ways) + 110,
        xaxis=named(numbered(tokens), 40, tickangle=-45),
        yaxis=named_rows([label(way, 40) for way in ways]),
    )

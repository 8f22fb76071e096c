"""The sentences behind the points of the map."""

from collections.abc import Sequence

import streamlit as st

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.snippets.fill import filled
from bertviz_core.ui.html import finding
from bertviz_core.ui.inputs import BOUND
from bertviz_core.ui.percentiles import column
from bertviz_core.ui.show import code, table
from bertviz_core.ui.word_senses.occurrences import Mapped

MOST_LISTED = 200  # occurrences in a program; it reads more from the table's CSV


def selected_sentences(mapped: Mapped, layer: int, selected: Sequence[int]) -> None:
    """List the sentences that were selected on the map."""
    import pandas as pd

    if not selected:
        return
    labels = mapped.groups(layer).labels
    st.text(f"{len(selected):,} selected")
    table(
        pd.DataFrame(
            {
                "number": [place + 1 for place in selected],
                **_sense_column(mapped, selected),
                "group": [int(labels[place]) + 1 for place in selected],
                "sentence": [mapped.occurrences[place].sentence for place in selected],
            }
        ),
        name="senses-selected",
        height=320 if len(selected) > 8 else "auto",
    )


def nearest(bert: Bert, mapped: Mapped, layer: int) -> None:
    """Show the occurrences nearest to one: the one that was clicked, or chosen by number."""
    import pandas as pd

    count = len(mapped.occurrences)
    if not 1 <= st.session_state.get("near", 1) <= count:
        st.session_state["near"] = 1
    # No default is given, because a selection on the map may set the value beforehand.
    place = st.slider("Nearest to number", 1, count, key="near", **BOUND) - 1
    rows, cosines = senses.nearest_occurrences(mapped.vectors[:, layer], place)
    one = mapped.occurrences[place]
    st.text(f"{place + 1} · {one.sentence}" + (f" ({one.sense})" if one.sense else ""))
    if one.sense is not None:
        same = sum(mapped.occurrences[row].sense == one.sense for row in rows)
        finding(
            "At layer {layer}, <b>{same}</b> of its {count} nearest have the same sense, {sense}.",
            layer=layer,
            same=same,
            count=len(rows),
            sense=one.sense,
        )
    # A file may hold vectors of another model than that of the sidebar and its ruler.
    calibration = ruler(bert) if mapped.key.model == bert.name else None
    percentiles = (
        {"percentile": column(calibration.percentiles(cosines, layer))} if calibration else {}
    )
    table(
        pd.DataFrame(
            {
                "number": [row + 1 for row in rows],
                **_sense_column(mapped, rows),
                "cosine similarity": cosines,
                **percentiles,
                "sentence": [mapped.occurrences[row].sentence for row in rows],
            }
        ),
        name=f"senses-nearest-{place + 1}",
    )


def all_occurrences(mapped: Mapped, layer: int, points: Array) -> None:
    """Offer every occurrence with its place on the map."""
    import pandas as pd

    everyone = range(len(mapped.occurrences))
    with st.expander(f"All {len(everyone):,} occurrences", icon=":material/table:"):
        table(
            pd.DataFrame(
                {
                    "number": [place + 1 for place in everyone],
                    **_sense_column(mapped, everyone),
                    "group": mapped.groups(layer).labels + 1,
                    "x": points[:, 0],
                    "y": points[:, 1],
                    "sentence": [one.sentence for one in mapped.occurrences],
                    "line": [one.line for one in mapped.occurrences],
                    "start": [one.start for one in mapped.occurrences],
                    "end": [one.end for one in mapped.occurrences],
                }
            ),
            name="senses",
            height=420,
        )


def show_code(bert: Bert, mapped: Mapped, layer: int, kind: str) -> None:
    """Offer the code that prints the map and the scores, if it is of the model in use."""
    if mapped.key.model != bert.name:
        return
    words = [(one.sense, one.sentence, one.start, one.end) for one in mapped.occurrences]
    many = len(words) > MOST_LISTED
    code(
        lambda: filled(
            "senses/senses",
            bert,
            words=[] if many else words,
            words_file="senses.csv" if many else None,
            pooling=mapped.key.pooling,
            layer=layer,
            map_of=kind,
        ),
        name="senses",
    )


def _sense_column(mapped: Mapped, places: Sequence[int]) -> dict[str, list[str]]:
    if not mapped.labelled:
        return {}
    return {"sense": [mapped.occurrences[place].sense or "" for place in places]}

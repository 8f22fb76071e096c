"""The views of many occurrences, which run again without the rest of the page."""

from collections.abc import Callable

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.ui import sections, slots
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.word_senses import (
    confounds,
    groups,
    lists,
    map_lines,
    occurrence_map,
    occurrences,
    sense_scores,
)
from bertviz_core.ui.word_senses.choices import Choices
from bertviz_core.ui.word_senses.chosen import chosen_number, chosen_occurrence
from bertviz_core.ui.word_senses.corpora import sampled
from bertviz_core.ui.word_senses.corpora.nearest import nearest_in_corpus
from bertviz_core.ui.word_senses.corpora.shift import shift_of_groups
from bertviz_core.ui.word_senses.occurrences import Mapped
from bertviz_core.ui.word_senses.sources import Request


@fragment
def many_occurrences(bert: Bert, request: Request, choices: Choices) -> None:
    """Show the finding, the map, the chosen occurrence, and the sections below.

    The vectors are not an argument: what a fragment is given is kept for each viewer.

    Args:
        bert: The checkpoint in use.
        request: The occurrences that are asked for.
        choices: How they are shown.
    """
    mapped = occurrences.run(bert, request, choices)
    occurrences.say_what_is_missing(bert, request, mapped)
    top = st.container()
    left, right = slots.row("map", [3, 2], gap="medium")
    with left:
        with slots.part("slim-layer"):
            layer = occurrence_map.chosen_layer(mapped)
        series = occurrence_map.series_of(mapped, layer, choices.colour)
        points, selected = occurrence_map.sense_map(mapped, layer, choices, series)
    with right:
        chosen_occurrence(mapped, layer, series)
    with top:
        if mapped.scorable:
            sense_scores.headline(mapped)
        else:
            groups.headline(mapped, layer)
    with left:
        chart = occurrence_map.chart_name(choices.kind)
        number = chosen_number(mapped)
        map_lines.how_far_to_trust(mapped, layer, choices.kind, points, chart, number)
        if mapped.drawn is not None:
            sampled.say_what_was_drawn(mapped.drawn)
    lists.selected_sentences(mapped, layer, selected)
    lists.all_occurrences(mapped, layer, points)
    if mapped.drawn is not None:
        sampled.groups_drawn(mapped.drawn)
    lists.show_code(bert, mapped, layer, choices.kind, points)

    def nearest(bert: Bert, mapped: Mapped, layer: int) -> None:
        lists.nearest(mapped, layer, occurrence_map.placed(mapped, layer, choices.kind)[0])

    def shown(view: Callable[[Bert, Mapped, int], None]) -> Callable[[], None]:
        return lambda: view(bert, occurrences.run(bert, request, choices), layer)

    views = {
        sections.SCORES: sense_scores.score_curve,
        sections.CHEAPER: confounds.confounds,
        sections.GROUPS: groups.layer_groups,
        sections.NEAREST: nearest,
    }
    if not mapped.scorable:
        del views[sections.SCORES]
    if mapped.drawn is not None:
        views |= {sections.IN_CORPUS: nearest_in_corpus, sections.SHIFT: shift_of_groups}
    sections.below({name: shown(view) for name, view in views.items()}, key="senses")

"""The page below its title: fields, the words compared, and all that is shown at one layer.

What is changed here runs again without the rest of the page; a layer, without the fields as well.
"""

from contextlib import nullcontext

from bertviz_core.bert import Bert
from bertviz_core.encoder import POOLINGS
from bertviz_core.ui import inputs, links, sections, slots
from bertviz_core.ui.calibrations import measure_beside
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.present import presenting
from bertviz_core.ui.word_in_context.compared import Compared
from bertviz_core.ui.word_in_context.influence import influences
from bertviz_core.ui.word_in_context.lens import nearest_rows_by_layer
from bertviz_core.ui.word_in_context.neighbors import in_context
from bertviz_core.ui.word_in_context.percentiles import on_percentile_scale
from bertviz_core.ui.word_in_context.pieces import pieces_and_pooling
from bertviz_core.ui.word_in_context.second_model import second_model
from bertviz_core.ui.word_in_context.similarity import (
    layer_curves,
    matrix,
    matrix_code,
    matrix_table,
    nearest_anchors,
    plane,
    say_what_has_none,
    similarity_table,
)
from bertviz_core.ui.word_in_context.words import (
    EXAMPLES,
    choose_layer_and_anchors,
    compare,
    split_anchors,
    words_to_tap,
)


@fragment
def compare_words(bert: Bert) -> None:
    """Ask for sentences and anchor words, and compare the marked words with them."""
    with slots.panel("sentences", "s", "anchors"):
        with slots.cells("typed", 2):
            sentences = inputs.lines(
                "Sentences, one per line, the word in [brackets]",
                "I love my pet [python]\nI love coding in [python]",
                key="s",
                help="Several words may be marked, in one sentence as well: "
                "the [bank] of the river by the [bank].",
            )
            anchors = split_anchors(
                inputs.sentence(
                    "Anchor words, separated by commas", "snake, programming", key="anchors"
                )
            )
        tapped = slots.part("tapped")
        with slots.options("words", beside=lambda: links.examples("Word_in_Context", EXAMPLES)):
            pooling = inputs.choice(
                "A word of several pieces: pool by",
                POOLINGS,
                key="pooling",
                help="How the vectors of a word's pieces become one: their mean, the first or "
                "the last piece, or the largest value in each dimension.",
            )
            if inputs.switch("Mark words by a tap", key="tap"):
                with tapped:
                    words_to_tap(bert, sentences, key="s")
    words = compare(bert, sentences, anchors, pooling)
    with slots.part("at-layer"):
        _at_chosen_layer(words)


@fragment
def _at_chosen_layer(words: Compared) -> None:
    """Ask for a layer, and show the words there."""
    # An audience sees the answer, and below it the slider.
    first = slots.part("answer") if presenting() else nullcontext()
    layer, anchors = choose_layer_and_anchors(words)
    compared = words.at(layer)
    with first:
        nearest_anchors(compared)
        if len(anchors) == 2:
            plane(compared, *anchors, height=264 if presenting() else 400)
        else:
            layer_curves(compared, height=264 if presenting() else 400)
    similarity_table(compared)
    say_what_has_none(compared)
    if compared.calibration is None:
        # On a first visit measuring waits for a click, because it takes 70 MB more.
        measure_beside(compared.bert, ask=compared.first_run)
    if len(anchors) == 2:
        with slots.cells("pictures", 2):
            layer_curves(compared)
            matrix(compared)
    else:
        matrix(compared)
    matrix_table(compared)
    matrix_code(compared)
    sections.below(
        {
            sections.INFLUENCE: lambda: influences(compared),
            sections.LENS: lambda: nearest_rows_by_layer(compared),
            sections.NEIGHBORS: lambda: in_context(compared),
            sections.PERCENTILES: lambda: on_percentile_scale(compared),
            sections.PIECES: lambda: pieces_and_pooling(compared),
            sections.SECOND_MODEL: lambda: second_model(compared),
        },
        key="deeper",
    )

"""The fields of the page Word in Context, which a tap on a word may fill."""

from collections.abc import Sequence
from contextlib import nullcontext

from bertviz_core.bert import Bert
from bertviz_core.encoder import POOLINGS
from bertviz_core.shared import models
from bertviz_core.ui import calibrations, inputs, links, slots, views
from bertviz_core.ui.chips import marking_chips
from bertviz_core.ui.errors import errors_shown, fragment
from bertviz_core.ui.html import note
from bertviz_core.ui.models import offer
from bertviz_core.ui.present import presenting
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.pieces import IN_PIECES
from bertviz_core.views.word_in_context.similarities import similarities
from bertviz_core.views.word_in_context.words import PAGE, Comparison

MOST_SENTENCES = 12
MOST_ANCHORS = 6
EXAMPLES: dict[str, dict[str, str | int]] = {
    "bank": {
        "s": "We sat on the [bank] of the river\nShe went to the [bank] for a loan",
        "anchors": "shore, money",
    },
    "bat": {
        "s": "A [bat] flew out of the cave\nHe swung the [bat] at the ball",
        "anchors": "animal, club",
    },
    "right": {
        "s": "Turn [right] at the corner\nYou are [right] about that\nIt is my [right]",
        "anchors": "left, correct, law",
    },
    "which word did it?": {
        "s": "The old [bank] of the river was steep, so nobody sat there\n"
        "She went to the [bank] in town to ask for a loan",
        "anchors": "shore, money",
        "section": "which context word did it?",
    },
    "a word in pieces": dict(IN_PIECES),
}


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
            typed = inputs.sentence(
                "Anchor words, separated by commas", "snake, programming", key="anchors"
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
                    for number in range(min(len(sentences), MOST_SENTENCES)):
                        with errors_shown(stop=False):  # a bracket without its partner
                            marking_chips(bert, sentences, number, key="s")
    anchors = list(dict.fromkeys(word.strip() for word in typed.split(",") if word.strip()))
    comparison = Comparison(
        _first(sentences, MOST_SENTENCES, "sentences"),
        _first(anchors, MOST_ANCHORS, "anchor words"),
        pooling,
    )
    # On a first visit measuring waits for a click, because it takes 70 MB more.
    _at_chosen_layer(bert, comparison, not models.has_encoder(bert.name))


def _first(given: Sequence[str], most: int, name: str) -> tuple[str, ...]:
    if len(given) > most:
        cut = "{given} {name} were given; the first {most} are compared."
        note(cut, given=len(given), name=name, most=most)
    return tuple(given[:most])


@fragment
def _at_chosen_layer(bert: Bert, comparison: Comparison, first_run: bool) -> None:
    """Ask for a layer, and show the words there."""
    # An audience sees the answer, and below it the slider.
    answer = slots.part("answer") if presenting() else nullcontext()
    layer, axes = _layer_and_axes(bert, comparison.names[len(comparison.words) :])
    given = {
        "comparison": comparison,
        "layer": layer,
        "axes": axes,
        "scales": calibrations.known(bert.name),
        "height": 264 if presenting() else 400,
        "ready": tuple(name for name in offer().ready if name != bert.name),
    }
    with answer:
        views.show(paths, bert, given, ask_first=False)
    if given["scales"] is None:
        calibrations.measure_beside(bert, ask=first_run)
    views.show(similarities, bert, given, ask_first=False)
    views.sections(PAGE, bert, given, ask_first=False)


def _layer_and_axes(bert: Bert, anchors: list[str]) -> tuple[int, tuple[str, ...]]:
    """Ask for a layer, the last one at first, and of more than two anchors for two."""
    last, several = bert.num_hidden_layers, len(anchors) > 2
    with slots.cells("slim-layer", 3) if several else slots.part("slim-layer"):
        layer = inputs.number("Layer (0 = input embedding)", 0, last, last, key="layer")
        if several:
            across = inputs.listed("Across", anchors, key="across")
            up = inputs.listed("Up", [name for name in anchors if name != across], key="up")
            anchors = [across, up]
    return layer, tuple(anchors)

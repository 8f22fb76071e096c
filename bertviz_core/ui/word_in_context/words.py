"""What the page asks for: sentences, anchors, a layer, a word; and the run of the model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import UNKNOWN
from bertviz_core.contextual.marks import read_marks
from bertviz_core.encoder import Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.ui import inputs, sections, slots
from bertviz_core.ui.chips import marking_chips, say_truncated
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.html import joined, note
from bertviz_core.ui.results import models
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context.compared import Compared
from bertviz_core.ui.word_in_context.results import MOST_WORDS, Comparison, anchors_and_words

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

MOST_SENTENCES = 12
MOST_ANCHORS = 6
IN_PIECES: dict[str, str | int] = {
    "s": "Their [awesomesauce] tastes of pepper\nThat goal was [awesomesauce]",
    "anchors": "ketchup, great",
    "deeper": sections.PIECES,
}
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
        "deeper": sections.INFLUENCE,
    },
    "a word in pieces": IN_PIECES,
}


def split_anchors(typed: str) -> list[str]:
    """Read anchor words, separated by commas; each stands alone between [CLS] and [SEP]."""
    return list(dict.fromkeys(word.strip() for word in typed.split(",") if word.strip()))


def compare(
    bert: Bert, sentences: Sequence[str], anchors: Sequence[str], pooling: Pooling
) -> Compared:
    """Run sentences and anchors through the model, saying what is left out.

    Raises:
        UserInputError: There is nothing to compare.
    """
    if not sentences:
        raise UserInputError("Type a sentence with a word in [brackets], one sentence per line.")
    marks = sum(len(read_marks(sentence)) or 1 for sentence in sentences[:MOST_SENTENCES])
    if marks + len(anchors) < 2:
        raise UserInputError("Type a second sentence or an anchor word to compare with.")
    for name, given, most in (
        ("sentences", len(sentences), MOST_SENTENCES),
        ("anchor words", len(anchors), MOST_ANCHORS),
        ("marked words", marks, MOST_WORDS),
    ):
        if given > most:
            note(
                "{given} {name} were given; the first {most} are compared.",
                given=given,
                name=name,
                most=most,
            )
    comparison = Comparison(
        tuple(_whole(anchor) for anchor in anchors[:MOST_ANCHORS]),
        tuple(sentences[:MOST_SENTENCES]),
        pooling,
    )
    count = len(comparison.anchors)
    first_run = not models.has_encoder(bert.name)
    doing = f"Running BERT on {count + len(comparison.sentences)} texts …"
    if first_run:
        doing = "Loading the model, once, then running it …"
    with waiting(doing, height=720):
        words = anchors_and_words(bert.name, comparison)
    compared = Compared(bert, comparison, words[count:], words[:count], first_run=first_run)
    for text in {word.sentence: word.text for word in compared.everything}.values():
        say_truncated(text)
    if unknown := dict.fromkeys(w.word for w in compared.everything if UNKNOWN in w.tokens):
        note(
            "Not in the vocabulary: {unknown}. What is unknown is read as [UNK], whatever it is; a "
            "similarity to it says nothing about the word.",
            unknown=joined(unknown),
        )
    return compared


def words_to_tap(bert: Bert, sentences: Sequence[str], *, key: str) -> None:
    """Show the words of every sentence; a tap marks one, or takes its mark off.

    Args:
        bert: The checkpoint in use.
        sentences: Those of the field.
        key: Of the field.
    """
    for number in range(min(len(sentences), MOST_SENTENCES)):
        with errors_shown(stop=False):  # a bracket without its partner; the next one may be right
            marking_chips(bert, sentences, number, key=key)


def choose(label: str, names: Sequence[str], *, key: str) -> int:
    """Ask for one of several words; with a single one there is nothing to ask.

    Args:
        label: What is chosen.
        names: At least one, all different.
        key: Name in the URL.

    Returns:
        The number of the chosen one in `names`; the first, if the kept one is gone.
    """
    return names.index(inputs.listed(label, names, key=key)) if len(names) > 1 else 0


def choose_word(compared: Compared) -> int:
    """Ask which of the marked words to follow; see `choose`."""
    return choose("Word to follow", compared.names[: len(compared.words)], key="target")


def choose_word_and_centring(
    compared: Compared, name: str, label: str, *, help: str, until_then: str
) -> tuple[int, bool]:
    """Ask for a word, and whether to centre, which needs the means of the model's layers.

    Args:
        compared: The words of the page.
        name: Of the row of fields, its own on the page.
        label: Of the switch.
        help: Behind its question mark: what is taken away.
        until_then: What is shown while the means are not known, as a sentence.

    Returns:
        The word's number in `compared.words`, and whether to centre.
    """
    fields = slots.row(name, 1 + (len(compared.words) > 1), align="bottom")
    with fields[0]:
        number = choose_word(compared)
    with fields[-1]:
        centred = inputs.switch(
            label,
            key="centre",
            help=f"{help} The layers' means are measured together with the percentile scale.",
        )
    if centred and compared.calibration is None:
        note(
            "Centring needs each layer's mean vector, which is measured together with the "
            "percentile scale: start it by the button below the picture. "
            f"Until then {until_then}."
        )
        return number, False
    return number, centred


def choose_pair(compared: Compared, name: str) -> tuple[int, int, "DeltaGenerator"]:
    """Ask for a word and what it is compared with, side by side.

    Args:
        compared: The words of the page.
        name: Of the row of fields, its own on the page.

    Returns:
        Both numbers in `compared.everything`, and the column of the row that is free.
    """
    fields = slots.row(name, 3 if len(compared.words) > 1 else 2)
    with fields[0]:
        number = choose_word(compared)
    others = compared.others(number)
    with fields[-2]:
        names = [compared.names[other] for other in others]
        other = others[choose("Similarity to", names, key="against")]
    return number, other, fields[-1]


def choose_layer_and_anchors(compared: Compared) -> tuple[int, list[int]]:
    """Ask for a layer, the last one at first, and of more than two anchors for two.

    Returns:
        The layer, and the numbers of the anchors in `compared.everything`: two, or those there are.
    """
    last, first = compared.bert.num_hidden_layers, len(compared.words)
    anchors = list(range(first, len(compared.everything)))
    with slots.part("slim-layer") if len(anchors) < 3 else slots.cells("slim-layer", 3):
        layer = inputs.number("Layer (0 = input embedding)", 0, last, last, key="layer")
        if len(anchors) > 2:
            names = compared.names
            across = anchors.pop(choose("Across", [names[i] for i in anchors], key="across"))
            anchors = [across, anchors[choose("Up", [names[i] for i in anchors], key="up")]]
    return layer, anchors


def _whole(anchor: str) -> str:
    """Mark an anchor as a whole, so that its own brackets or blanks do not matter."""
    escaped = anchor.replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
    return f"[{escaped}]"

"""How a whole sentence becomes one vector, and whether a cosine of two is high."""

from bertviz_core.ui import frame, inputs, links, slots, views
from bertviz_core.ui.address import OTHERS, SENTENCE
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.html import note
from bertviz_core.views.sentence_vectors.matrix import matrix
from bertviz_core.views.sentence_vectors.ways import PAGE

bert = frame.page(
    "Sentence Vectors",
    "How does a sentence become one vector?",
    "BERT has one vector for each token. Choose how they become one; a cosine compares two.",
    icon=":material/compress:",
)

MAX_SENTENCES = 12
EXAMPLE = "How old are you?"
EXAMPLE_OTHERS = "What is your age?\nHow are you?\nMy train leaves at noon."
EXAMPLES: dict[str, dict[str, str | int]] = {
    "the mean of the token table": {"way": "token table"},
    "unrelated, and 0.8": {
        "a": "My train leaves at noon from the platform behind the old post office.",
        "others": "She painted the wooden fence green before her parents came home for dinner.",
        "way": "max",
    },
    "who bit whom": {
        "a": "The dog bit the man.",
        "others": "The man bit the dog.\nA man was attacked by his pet.",
    },
    "which way is best?": {"section": "which way is best?"},
}


@fragment
def compare_sentences() -> None:
    """Ask for sentences, and for how each becomes one vector; compare them all."""
    with slots.panel("sentences", SENTENCE, OTHERS, "way"):
        with slots.cells("typed", 2) as cells:
            with cells.cell(), slots.part("lines"):
                first = inputs.sentence("A sentence", EXAMPLE, key=SENTENCE)
                label = "Others, one per line"
                others = inputs.lines(label, EXAMPLE_OTHERS, key=OTHERS, height=100)
            with cells.cell(), slots.part("way"):
                chosen = views.ask(matrix, {"bert": bert})
        links.examples("Sentence_Vectors", EXAMPLES)
    typed = [text for text in (first.strip(), *others) if text]
    if len(typed) > MAX_SENTENCES:
        note(
            "{given} sentences were given; the first {most} are compared.",
            given=len(typed),
            most=MAX_SENTENCES,
        )
    given = {"sentences": tuple(typed[:MAX_SENTENCES])}
    views.show(matrix, bert, given, chosen=chosen, ask_first=False)
    views.sections(PAGE, bert, given | chosen, ask_first=False)


compare_sentences()

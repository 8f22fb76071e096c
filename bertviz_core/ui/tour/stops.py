"""The guided tour's stops: a claim, what to guess, and the picture that settles it.

`bertviz_core.claims` says what is true: a condition that each model meets or does not, and a
sentence for both cases. `bertviz_core.views.stops` draws the picture.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from bertviz_core.claims import Claim, Verdict, layers, tables
from bertviz_core.views import stops as shown
from bertviz_core.views.stops import StopInput
from bertviz_core.views.view import View

VERDICTS = ("true", "false", "not that simple")
TRUE_OR_FALSE = "True, false, or not that simple?"


class Question(NamedTuple):
    """What is guessed instead of true or false: a number from 0 to 1, or one of three words."""

    text: str
    truth: str  # its name in the verdict: the number, or the words, the right one first


@dataclass(frozen=True)
class Stop:
    """One stop of the tour."""

    claim: str  # what people say about BERT's embeddings
    fact: Claim  # what is true, by a condition of the model in use
    # Whether the claim is true of a model that meets the condition, and of one that does not; None
    # where that is not so simple.
    true_of: tuple[bool | None, bool | None]
    hint: str  # what a guess can rest on
    view: Callable[[StopInput], View]  # the sentence and the picture that settle it
    page: str  # the page that has more of it, by its name in the address
    inputs: dict[str, str | int] = field(default_factory=dict)  # of that page, by key
    question: Question | None = None  # what is guessed here, if not true or false

    def verdict(self, found: Verdict) -> str:
        """Whether the claim is true of a model: one of `VERDICTS`."""
        is_true = None if found.holds is None else self.true_of[not found.holds]
        return VERDICTS[2 if is_true is None else not is_true]

    def prompt(self, found: Verdict | None) -> tuple[str, list[str]]:
        """The question, and the answers to choose from; none where it is a number."""
        answer = self._answer(found)
        if self.question is None or answer is None:
            return TRUE_OR_FALSE, [*VERDICTS]
        return self.question.text, sorted(answer.split()) if isinstance(answer, str) else []

    def truth(self, found: Verdict) -> str:
        """The right answer: one of those to choose from, or a number such as "0.42"."""
        answer = self._answer(found)
        if answer is None:
            return self.verdict(found)
        return answer.split()[0] if isinstance(answer, str) else f"{min(max(answer, 0), 1):.2f}"

    def _answer(self, found: Verdict | None) -> str | float | None:
        answer = found.numbers.get(self.question.truth) if found and self.question else None
        return None if answer == "" else answer


STOPS = (
    Stop(
        "What enters BERT for [CLS] is mostly its token.",
        tables.FIRST_VECTOR, (False, True),
        "BERT puts the token [CLS] before every text, at position 0. What enters for a token is a "
        "sum of three rows, one for the token, one for its position, one for its segment.",
        shown.first_vector, "Input_Embeddings",
        {"a": "I am Sinan", "section": "which part contributes how much?"},
        Question("How much of [CLS] is its position, from 0 to 100%?", "of_position"),
    ),
    Stop(
        "A word that is not in the vocabulary is unknown to BERT.",
        tables.UNKNOWN_WORD, (False, None),
        "The vocabulary is a fixed list of words and pieces of words; “awesomesauce” is not on it.",
        shown.unknown_word, "Tokens",
        {"a": "awesomesauce"},
    ),
    Stop(
        "The whole embedding layer is one sum and one LayerNorm.",
        layers.ONE_SUM, (True, False),
        "For each token it looks up a row of three tables: token, position and segment.",
        shown.one_sum, "Input_Embeddings",
        {"a": "I love my pet python", "section": "the proof"},
    ),
    Stop(
        "BERT's position embeddings are the sinusoids of the original Transformer.",
        tables.POSITIONS, (False, True),
        "The Transformer of 2017 computed its positions from sines and cosines, fast to slow.",
        shown.positions, "Positions_and_Segments",
        {"section": "against sinusoids"},
    ),
    Stop(
        "Segment embeddings are fixed labels, not learned.",
        tables.SEGMENTS, (False, None),
        "A segment embedding is added to each token, for sentence A or for sentence B.",
        shown.segments, "Inside_the_Model",
        {"section": "what training changes", "beside": "They are friends"},
    ),
    Stop(
        "BERT-base has 110 million parameters.",
        tables.PARAMETERS, (True, False),
        "A parameter is one number of its tables, matrices and vectors.",
        shown.parameters, "Inside_the_Model",
    ),
    Stop(
        "The nearest token of a word is a synonym.",
        tables.NEAREST, (False, None),
        "Near means a high cosine of two rows of the token table.",
        shown.nearest, "Nearest_Neighbors",
        {"q": "dog", "q2": "left", "q3": "monday"},
        Question("Which of these is nearest to dog?", "closest"),
    ),
    Stop(
        "“python” means two things to BERT.",
        layers.TWO_MEANINGS, (True, False),
        "Compare the python of “I love my pet python” with that of “I love coding in python”.",
        shown.two_meanings, "Word_in_Context",
        {"a": layers.PET_AND_CODE[0].format(layers.WORD),
         "a2": layers.PET_AND_CODE[1].format(layers.WORD),
         "anchors": ", ".join(layers.ANCHORS)},
    ),
    Stop(
        "A word's first vector already knows its sentence.",
        layers.NO_CONTEXT, (False, None),
        "Take bank in “My bank is a river” and in “My bank is a building”, as it enters BERT.",
        shown.no_context, "Word_in_Context",
        {"a": "My bank is a river", "a2": "My bank is a building", "anchors": "water, money",
         "layer": 0},
    ),
    Stop(
        "BERT's pooled output is its [CLS] vector.",
        layers.POOLED, (False, None),
        "The library gives a vector for each token, and one more: the pooled output of the text.",
        shown.pooled, "Inside_the_Model",
        {"section": "pooler"},
    ),
    Stop(
        "A cosine of 0.6 means that two words are alike.",
        layers.HIGH_COSINE, (None, None),
        "A cosine is 1 for two vectors of one direction, and 0 for a right angle.",
        shown.high_cosine, "Word_in_Context",
        {"a": "The soup is [hot]", "a2": "The soup is [cold]", "anchors": "",
         "section": "is this cosine high for this layer?"},
    ),
    Stop(
        "One step of fine-tuning changes every row of the embedding tables.",
        layers.ONE_STEP, (False, True),
        "Train one step on one sentence: “The king spoke to the queen”.",
        shown.one_step, "Inside_the_Model",
        {"section": "what training changes"},
    ),
)  # fmt: skip

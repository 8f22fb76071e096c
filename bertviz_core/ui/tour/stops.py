"""The guided tour's stops: a claim, a prediction to make, and the view that settles it.

What settles it is in `bertviz_core.claims`: a condition that each model meets or does not, and what
is true in both cases.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bertviz_core.claims import Claim, Verdict, cosines, layers, tables


class Question(NamedTuple):
    """What is guessed instead of true or false: a number, or one of three words."""

    text: str
    truth: str  # its name in the verdict: a number from 0 to 1, or the words, the right one first
    on: str = ""  # of a number the chart, by its name, on which it is marked
    line: Callable[[float], dict[str, Any]] | None = None  # and where


@dataclass(frozen=True)
class Stop:
    """One stop of the tour."""

    claim: str  # what people say about BERT's embeddings
    settled: Claim  # what is true, by a condition of the model in use
    page: str  # the page that settles it, by its name in the address
    look: str  # where to look on that page
    # What of it to scroll to and to frame, the most important first, as much as fits: a container
    # by its key, or a sentence by the name of a value in it.
    targets: tuple[str, ...]
    when_met: bool | None  # whether the claim is true of a model that meets the condition
    otherwise: bool | None  # and of one that does not; None where that is not so simple
    inputs: dict[str, str | int] = field(default_factory=dict)  # of that page, by key
    # Of what it is true or false, if not of the model in use: HTML at the end of the sentence which
    # says so, with the verdict's numbers by `{name:format}`.
    about: str = ""
    question: Question | None = None  # what is guessed here, if not true or false

    def truth(self, found: Verdict) -> bool | None:
        """Whether the claim is true of a model, by the verdict on it; None: not that simple."""
        if found.holds is None:
            return None
        return self.when_met if found.holds else self.otherwise


GUESSES = ("true", "false")  # the predictions to choose from, at every stop
SHOWN = "shown"  # without one
STOPS = (
    Stop(
        "What enters BERT for [CLS] is mostly its token.",
        tables.FIRST_VECTOR,
        "Input_Embeddings",
        "The column of [CLS], and those of the words.",
        ("chart_shares", "largest_share"),
        False,
        True,
        {"a": "I am Sinan", "section": "which part contributes how much?"},
        question=Question(
            "How much of [CLS] is its position, from 0 to 100%?",
            "of_position",
            "shares",
            lambda share: {"x0": -0.44, "x1": 0.44, "y0": 1 - share, "y1": 1 - share},
        ),
    ),
    Stop(
        "A word that is not in the vocabulary is unknown to BERT.",
        tables.UNKNOWN_WORD,
        "Tokens",
        "The search for the longest piece, candidate by candidate.",
        ("chart_word-search", "pieces"),
        False,
        None,
        {"a": "awesomesauce", "section": "a word, step by step"},
    ),
    Stop(
        "The whole embedding layer is one sum and one LayerNorm.",
        layers.ONE_SUM,
        "Input_Embeddings",
        "The largest difference; the heatmaps above show the sum from top to bottom.",
        ("difference", "chart_proof"),
        True,
        False,
        {"a": "I love my pet python", "section": "the proof"},
    ),
    Stop(
        "BERT's position embeddings are the sinusoids of the original Transformer.",
        tables.POSITIONS,
        "Positions_and_Segments",
        "How much of the table sinusoids explain, and how much of random tables; both tables.",
        ("answer", "chart_table-model", "chart_table-sinusoids"),
        False,
        True,
        {"section": "against sinusoids"},
    ),
    Stop(
        "Segment embeddings are fixed labels, not learned.",
        tables.SEGMENTS,
        "Inside_the_Model",
        "The lengths of both rows, next to those of new, untrained rows; and their gradients.",
        ("length_segment", "chart_gradient-parts", "chart_gradient-rows"),
        False,
        None,
        {"section": "what training changes", "beside": "They are friends"},
    ),
    Stop(
        "BERT-base has 110 million parameters.",
        tables.PARAMETERS,
        "Inside_the_Model",
        "The two totals, and the largest block.",
        ("in_matrices", "chart_parameter-areas"),
        True,
        False,
        about=" for bert-base-uncased ({total:,}; the model shown has {counted:,})",
    ),
    Stop(
        "The nearest token of a word is a synonym.",
        tables.NEAREST,
        "Nearest_Neighbors",
        "The nearest token of each of the three words, and the bars below.",
        ("nearest", "chart_neighbors-1", "chart_neighbors-2", "chart_neighbors-3"),
        False,
        None,
        {"q": "dog", "q2": "left", "q3": "monday"},
        question=Question("Which of these is nearest to dog?", "closest"),
    ),
    Stop(
        "“python” means two things to BERT.",
        layers.TWO_MEANINGS,
        "Word_in_Context",
        "How far apart the two vectors of python are after the last layer, and the two of pencil.",
        ("chart_plane", "cosine_1"),
        True,
        False,
        {
            "s": "I love my pet [python]\nI love coding in [python]\n"
            "I love my pet [pencil]\nI love coding in [pencil]",
            "anchors": "snake, programming",
        },
        question=Question(
            "How similar is python in “I love my pet python” to snake after the last layer, from "
            "0 to 100?",
            "pet_snake",
            "plane",
            lambda cosine: {"x0": cosine, "x1": cosine, "y0": 0, "y1": 1, "yref": "paper"},
        ),
    ),
    Stop(
        "A word's first vector already knows its sentence.",
        layers.NO_CONTEXT,
        "Word_in_Context",
        "The lowest curve, at layer 0.",
        ("chart_curves",),
        False,
        None,
        {
            "s": "My [bank] is a river\nMy [bank] is a building",
            "anchors": "water, money",
            "layer": 0,
        },
    ),
    Stop(
        "BERT's pooled output is its [CLS] vector.",
        layers.POOLED,
        "Inside_the_Model",
        "The cosine between the two.",
        ("count", "chart_pooler-tanh", "chart_pooler-cls"),
        False,
        None,
        {"section": "pooler"},
    ),
    Stop(
        "A cosine of 0.6 means that two words are alike.",
        cosines.HIGH_COSINE,
        "Word_in_Context",
        "How many pairs have less than 0.6; and hot and cold among unrelated pairs.",
        ("worth_low", "chart_percentile-scale-1"),
        None,
        None,
        {
            "s": "The soup is [hot]\nThe soup is [cold]",
            "anchors": "",
            "section": "is this cosine high for this layer?",
        },
    ),
    Stop(
        "One step of fine-tuning changes every row of the embedding tables.",
        layers.ONE_STEP,
        "Inside_the_Model",
        "How many rows get a gradient from this loss, and how many get none.",
        ("all_words", "chart_gradient-parts", "chart_gradient-rows"),
        False,
        True,
        {"section": "what training changes"},
    ),
)

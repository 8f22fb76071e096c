"""The guided tour's stops: a sentence to guess about, and the page's own view that settles it.

A stop opens a view of a page and reads named numbers from it. One condition on them says what is
true of the model in use, so the tour holds for any model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import Formatter
from typing import Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.calibration.same_sense import same_sense_line
from bertviz_core.contextual.leans import leans_of
from bertviz_core.contextual.nouns import listed_nouns
from bertviz_core.contextual.word_vectors import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.hall import is_allowed, is_right
from bertviz_core.positions.table import SAME
from bertviz_core.shared.models import SharedEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.tokens import InputText
from bertviz_core.ui import computed, state
from bertviz_core.views.input_embeddings.library_layer import proof
from bertviz_core.views.input_embeddings.shares import shares
from bertviz_core.views.inside_the_model.parameters import parameters
from bertviz_core.views.inside_the_model.pooler_and_training import pooler, training
from bertviz_core.views.nearest_neighbors.nearest_rows import Search, nearest_rows
from bertviz_core.views.parts import Part, Sentence
from bertviz_core.views.positions_and_segments.segments import segments
from bertviz_core.views.positions_and_segments.sinusoids import against_sinusoids
from bertviz_core.views.tokens.word_pieces import pieces
from bertviz_core.views.view import View, beside, caption
from bertviz_core.views.word_in_context.comparison import compare
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.percentiles import percentiles

TRUE, FALSE, NOT_SIMPLE = VERDICTS = ("true", "false", "not that simple")
TRUE_OR_FALSE = "True, false, or not that simple?"
CANNOT_TELL = "This model cannot be judged: it lacks what the claim is about."
MAX_HEIGHT = 290  # pixels of a picture on a projector, before they are enlarged
MAX_PLAYED = 300  # of one with Play and a slider above it

Numbers = Mapping[str, Any]


def findings_of(view: View) -> list[Sentence]:
    """The sentences of a view that say what its numbers mean."""
    sentences = (part for part in view.all_parts if isinstance(part, Sentence))
    return [sentence for sentence in sentences if sentence.kind == "finding"]


def numbers_of(bert: Bert, view: View) -> Numbers:
    """What the sentences of a view show, by name; of its second finding "nearest_2", and so on."""
    further = {
        f"{name}_{number}": value
        for number, finding in enumerate(findings_of(view)[1:], 2)
        for name, value in finding.values.items()
    }
    return view.values | further


def names_in(template: str) -> set[str]:
    """The names of the values of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@dataclass(frozen=True, eq=False)
class Stop:
    """One stop of the tour."""

    claim: str  # what people say about BERT's embeddings
    hint: str  # what a guess can rest on
    page: str  # the page that has more of it, by its name in the address
    inputs: dict[str, str | int]  # of that page, by key
    view: Callable[[Bert], View]  # the page's own, with these inputs
    holds: Callable[[Numbers], bool]  # the condition
    verdicts: tuple[str, str]  # of the claim, where the condition holds and where it does not
    why: str  # where it holds, HTML with `{name:format}` for numbers
    otherwise: str = ""  # where it does not; "" for the same sentence
    # What is published of bert-base-uncased; nothing follows from the model in use.
    on_base: str = ""
    # What is guessed, if not true or false: a number from 0 to 1, or one of three words.
    question: str = ""
    truth: str = ""  # the name of that number, or of the words, the right one first
    pictures: tuple[str, ...] = ()  # what is framed below the verdict; () for all pictures
    numbers: Callable[[Bert, View], Numbers] = numbers_of

    def answer(self, bert: Bert) -> "Answer":
        """What is true of a model; it is loaded or measured if a view of the stop needs that."""
        try:
            view = self.view(bert)
        except UserInputError as error:
            return Answer(self, problem=str(error))
        return Answer(self, view, self.numbers(bert, view))

    def prompt(self, answer: "Answer | None" = None) -> tuple[str, list[str]]:
        """The question, and the answers to choose from; none where it is a number."""
        asked = answer.asked if answer else None
        if asked is None:
            return TRUE_OR_FALSE, [*VERDICTS]
        return self.question, sorted(asked.split()) if isinstance(asked, str) else []


@dataclass(frozen=True, eq=False)
class Answer:
    """What a stop says of a model."""

    stop: Stop
    view: View = field(default_factory=View)
    numbers: Numbers = field(default_factory=dict)
    problem: str = CANNOT_TELL  # why the model cannot be judged, if it cannot

    @cached_property
    def holds(self) -> bool | None:
        """Whether the condition holds; None where a number is missing that the stop says."""
        is_whole = names_in(self.stop.why + self.stop.otherwise) <= self.numbers.keys()
        return bool(self.stop.holds(self.numbers)) if is_whole else None

    @property
    def verdict(self) -> str:
        """Whether the claim is true: one of `VERDICTS`."""
        return NOT_SIMPLE if self.holds is None else self.stop.verdicts[not self.holds]

    @property
    def why(self) -> Sentence:
        """The sentence that goes with the verdict."""
        if self.holds is None:
            return Sentence("verdict", "{problem}", {"problem": self.problem})
        holds = self.holds or not self.stop.otherwise
        template = self.stop.why if holds else self.stop.otherwise
        values = {name: self.numbers[name] for name in names_in(template)}
        return Sentence("verdict", template, values)

    @property
    def asked(self) -> str | float | None:
        """The number that is guessed, or the words to choose from, the right one first."""
        return self.numbers.get(self.stop.truth)

    @property
    def truth(self) -> str:
        """The right guess: one of those to choose from, or a number such as "0.42"."""
        if self.asked is None:
            return self.verdict
        if isinstance(self.asked, str):
            return self.asked.split()[0]
        return f"{min(max(self.asked, 0), 1):.2f}"

    def is_right(self, guess: str) -> bool | None:
        """Whether a guess is right; None where none was made, or the model cannot be judged."""
        if self.holds is None or not is_allowed(guess, self.stop.prompt(self)[1]):
            return None
        return is_right(guess, self.truth)

    def framed(self) -> View:
        """The finding and the pictures of the view, side by side where each has its own."""
        names = self.stop.pictures or self.view.pictures
        # No sentence of the visitor is part of them.
        pictures = [
            replace(picture, typed=False)
            for name, picture in self.view.pictures.items()
            if name in names
        ]
        if state.now().presenting:  # all of it below the verdict
            for layout, played in ((one.figure.layout, one.figure.played) for one in pictures):
                layout.height = min(layout.height, MAX_PLAYED if played else MAX_HEIGHT)
        findings = findings_of(self.view)
        if len(findings) == len(pictures):
            return View(beside(*zip(findings, pictures, strict=True)), made=self.view.made)
        columns: list[list[Part]] = [[picture] for picture in pictures]
        if len(pictures) > 1:
            columns = [[caption(picture.name.replace("-", " ")), picture] for picture in pictures]
        return View(findings[0], [beside(*columns)] if columns else [], made=self.view.made)


WORDS = ("dog", "left", "monday")
DAYS = ("tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
BANKS = ("My [bank] is a river", "My [bank] is a building")
SOUPS = ("The soup is [hot]", "The soup is [cold]")
SECTION = "is this cosine high for this layer?"
COSINE = 0.6


def cosine_by_layer(bert: Bert, sentences: Sequence[str], layer: int) -> View:
    """The view of percentiles for the marked words of two sentences."""
    scales = computed.SCALES.wait(bert)
    words = replace(compare(SharedEncoder(bert), sentences), scales=scales)
    return percentiles(words, layer, bert, *words.names[:2])


def first_cosines(bert: Bert, _: View) -> Numbers:
    """The cosine of bank in its two sentences, at layer 0 and at layer 1."""
    first, second, *_ = compare(SharedEncoder(bert), BANKS).cosines[0, 1].tolist()
    near = second > 0.9995  # three digits would call it equal
    return {"first": first, "second": f"{second:.6f}" if near else f"{second:.3f}"}


def most_unrelated(_: Bert, view: View) -> Numbers:
    """The most that 95% of unrelated pairs have less than, and its layer."""
    below = view.tables.get("percentile-scale", {}).get("95% below")
    return {} if below is None else {"most": float(np.max(below)), "layer": int(np.argmax(below))}


WORD = "python"
PET_AND_CODE = ("I love my pet [{}]", "I love coding in [{}]")
ANCHORS = ("snake", "programming")
# The two sentences turn every word a little, the first to animals, the second to programs. How
# much, other nouns show: every tenth of the list, so that none was chosen for what it gives.
EVERY = 10
MIN_CONTROLS = 5  # control words in the vocabulary; fewer say little of what any word would do
SHARE = 95  # percent of the control words


@once_in_turn
def python_among_nouns(encoder: Encoder) -> Numbers:
    """How far apart the leans of python are in two sentences, and those of other nouns."""
    known = encoder.bert.vocabulary.ids
    nouns = (word for word in listed_nouns()[::EVERY] if word not in (WORD, *ANCHORS))
    controls = [word for word in nouns if word in known]
    if len(controls) < MIN_CONTROLS:
        return {}
    words = [WORD, *controls]
    sentences = [text.format(word) for word in words for text in PET_AND_CODE]
    vectors = np.stack([one.vectors for one in words_in_context(encoder, [*sentences, *ANCHORS])])
    # (words, sentences, layers, size)
    by_word = vectors[:-2].reshape(len(words), len(PET_AND_CODE), *vectors.shape[1:])
    leans = np.stack([leans_of(pair, vectors[-2:]) for pair in by_word])
    gaps = leans[:, :, 0] - leans[:, :, 1]
    apart = gaps[:, 0] - gaps[:, 1]  # (words, layers)
    line = same_sense_line(encoder, WORD).by_layer
    most = np.percentile(apart[1:], SHARE, axis=0)
    beyond = (apart[0] > line) & (apart[0] > most)
    return {
        # The layer from which on it is beyond both up to the last.
        "first": int(np.flatnonzero(~beyond).max(initial=-1)) + 1,
        "layers": len(beyond) - 1,
        # How much more to its own anchor than to the other, in both sentences; as on its page.
        "lean": float(apart[0, -1]) / 2,
        "apart": float(apart[0, -1]),
        "same_sense": float(line[-1]),
        "nouns": float(most[-1]),
    }


COMPARED = (
    "Compared with each other, python leans to snake for the pet and to programming in coding, by "
    "{lean:.2f} more than to the other: {apart:.2f} apart. Sentences of one meaning are within "
    "{same_sense:.2f} (90 of 100 pairs), other nouns within {nouns:.2f} (95 of 100)."
)
PYTHONS = [text.format(WORD) for text in PET_AND_CODE]

STOPS = (
    Stop(
        "What enters BERT for [CLS] is mostly its token.",
        "BERT puts the token [CLS] before every text, at position 0. What enters for a token is a "
        "sum of three rows, one for the token, one for its position, one for its segment.",
        "Input_Embeddings",
        {"a": "I am Sinan", "section": "which part contributes how much?"},
        view=lambda bert: shares(bert, "I am Sinan"),
        holds=lambda of: of["cls_token"] < 0.5,
        verdicts=(FALSE, TRUE),
        why="Its position brings {cls_position:.1%} of it, its token {cls_token:.1%}, its "
        "segment {cls_segment:.1%}; it starts as this same vector in every sentence.",
        question="How much of [CLS] is its position, from 0 to 100%?",
        truth="cls_position",
    ),
    Stop(
        "A word that is not in the vocabulary is unknown to BERT.",
        "The vocabulary is a fixed list of words and pieces of words; “awesomesauce” is not on it.",
        "Tokens",
        {"a": "awesomesauce"},
        view=lambda bert: pieces(bert, "awesomesauce"),
        holds=lambda of: of["unknown"] == 0 and of["pieces"] > 1,
        verdicts=(FALSE, NOT_SIMPLE),
        why="It is cut into the longest pieces that are in the vocabulary, awesomesauce into "
        "{word_pieces}. Only a word with a part that no piece fits, or a very long one, is [UNK].",
        otherwise="This model reads awesomesauce as {word_pieces}. [UNK] is a word with a part "
        "that no piece fits, or a very long one.",
        on_base="the same, awesome ##sau ##ce, as a course notebook prints it",
    ),
    Stop(
        "The whole embedding layer is one sum and one LayerNorm.",
        "For each token it looks up a row of three tables: token, position and segment.",
        "Input_Embeddings",
        {"a": "I love my pet python", "section": "the proof"},
        view=lambda bert: proof(
            SharedEncoder(bert), InputText("I love my pet python"), 5, state.now().presenting
        ),
        holds=lambda of: float(of["difference"]) < 1e-5,
        verdicts=(TRUE, FALSE),
        why="Three rows are looked up, added and normalized: of {count} numbers none is more than "
        "{difference} from that of the library's own layer, which is rounding.",
        otherwise="Nearly: over {count} numbers the sum and the library's own layer are up to "
        "{difference} apart.",
    ),
    Stop(
        "BERT's position embeddings are the sinusoids of the original Transformer.",
        "The Transformer of 2017 computed its positions from sines and cosines, fast to slow.",
        "Positions_and_Segments",
        {"section": "against sinusoids"},
        view=lambda bert: against_sinusoids(bert),
        holds=lambda of: of["correlation"] < SAME,
        verdicts=(FALSE, TRUE),
        why="The cosines of its rows have a correlation of {correlation:.2f} with those of "
        "sinusoids. Sinusoids have 1, also after a rotation.",
        otherwise="For this model yes, but for a rotation at most: the cosines of its rows have a "
        "correlation of {correlation:.2f} with those of sinusoids.",
        on_base="learned as well, those from 128 on in the last 10% of its steps (Devlin et al. "
        "2019, A.2)",
    ),
    Stop(
        "Segment embeddings are fixed labels, not learned.",
        "A segment embedding is added to each token, for sentence A or for sentence B.",
        "Positions_and_Segments",
        {"section": "segment table"},
        view=lambda bert: segments(bert),
        holds=lambda of: of["changed"],
        verdicts=(FALSE, NOT_SIMPLE),
        why="They are rows of parameters, {length_a:.3f} and {length_b:.3f} long with cosine "
        "{cosine:.2f}. Those of a fresh BERT are {fresh:.3f} ± {deviation:.3f} long, with a "
        "cosine near 0. Most likely training changed them; the file does not say.",
        otherwise="They are rows of parameters, but nothing shows that training changed them: "
        "{length_a:.3f} and {length_b:.3f} long (cosine {cosine:.2f}), those of a fresh BERT "
        "{fresh:.3f} ± {deviation:.3f}.",
        on_base="learned as well (Devlin et al. 2019, section 3)",
    ),
    Stop(
        "BERT-base has 110 million parameters.",
        "A parameter is one number of its tables, matrices and vectors.",
        "Inside_the_Model",
        {},
        view=lambda bert: parameters(bert),
        holds=lambda of: round(of["base_total"] / 1e7) == 11,
        verdicts=(TRUE, FALSE),
        why="Rounded: its sizes give {base_total:,}. Counts that differ a little leave out biases "
        "and LayerNorm ({base_in_matrices:,}), or the pooler. {name} has {total}.",
    ),
    Stop(
        "The nearest token of a word is a synonym.",
        "Near means a high cosine of two rows of the token table.",
        "Nearest_Neighbors",
        dict(zip(("q", "q2", "q3"), WORDS, strict=True)),
        view=lambda bert: nearest_rows(bert, Search(WORDS, k=3)),
        holds=lambda of: (
            of["nearest"].startswith("dog")
            and of["nearest_2"] == "right"
            and of["nearest_3"] in DAYS
        ),
        verdicts=(FALSE, NOT_SIMPLE),
        why="Nearest to dog is {nearest}, another form of it; to left {nearest_2}, its opposite; "
        "to monday {nearest_3}, another day. Near in the table is what is used in the same "
        "contexts.",
        otherwise="Judge for yourself: nearest to dog is {nearest}, to left {nearest_2}, to "
        "monday {nearest_3}.",
        question="Which of these is nearest to dog?",
        truth="closest",
        pictures=("neighbors-1", "neighbors-2", "neighbors-3"),
    ),
    Stop(
        "“python” means two things to BERT.",
        "Compare the python of “I love my pet python” with that of “I love coding in python”.",
        "Word_in_Context",
        {"a": PYTHONS[0], "a2": PYTHONS[1], "anchors": ", ".join(ANCHORS)},
        view=lambda bert: paths(
            compare(SharedEncoder(bert), PYTHONS, ANCHORS),
            bert.num_hidden_layers,
            bert,
            large=state.now().presenting,
        ),
        holds=lambda of: of["first"] <= of["layers"],
        verdicts=(TRUE, FALSE),
        why="From layer {first} of {layers} on. " + COMPARED,
        otherwise="Not at this model's last layer. " + COMPARED,
        on_base="a course notebook prints 0.69 (pet, snake), 0.50 (pet, programming), 0.58 "
        "(language, snake), 0.56 (language, programming): compared with each other, 0.17 apart "
        "the same way, though each is nearer to snake",
        pictures=("plane",),
        numbers=lambda bert, view: python_among_nouns(SharedEncoder(bert)),
    ),
    Stop(
        "A word's first vector already knows its sentence.",
        "Take bank in “My bank is a river” and in “My bank is a building”, as it enters BERT.",
        "Word_in_Context",
        {"a": BANKS[0], "a2": BANKS[1], "anchors": "", "layer": 0, "section": SECTION},
        view=lambda bert: cosine_by_layer(bert, BANKS, 0),
        holds=lambda of: of["first"] > 1 - 1e-6 > float(of["second"]),
        verdicts=(FALSE, NOT_SIMPLE),
        why="At layer 0 bank is its row, its position and its segment, in both sentences the "
        "same: cosine {first:.3f}. After layer 1 it is {second}.",
        otherwise="At layer 0 its two vectors have cosine {first:.3f}, after layer 1 {second}: "
        "for this model's tokenizer the two sentences may be the same tokens.",
        numbers=first_cosines,
    ),
    Stop(
        "BERT's pooled output is its [CLS] vector.",
        "The library gives a vector for each token, and one more: the pooled output of the text.",
        "Inside_the_Model",
        {"section": "pooler"},
        view=lambda bert: pooler(SharedEncoder(bert)),
        holds=lambda of: abs(of["cosine"]) < 0.9,
        verdicts=(FALSE, NOT_SIMPLE),
        why="A dense layer and tanh are between them: the cosine of the two is {cosine:.2f}.",
        otherwise="In this model they are nearly equal (cosine {cosine:.2f}), though a dense "
        "layer and tanh are between them.",
        on_base="different as well, but there the pooler was trained, on next sentences (Devlin "
        "et al. 2019); a course notebook prints [CLS] −0.23, 0.15 …, pooled −0.88, −0.45 …",
    ),
    Stop(
        "A cosine of 0.6 means that two words are alike.",
        "A cosine is 1 for two vectors of one direction, and 0 for a right angle.",
        "Word_in_Context",
        {"a": SOUPS[0], "a2": SOUPS[1], "anchors": "", "section": SECTION},
        view=lambda bert: cosine_by_layer(bert, SOUPS, bert.num_hidden_layers),
        holds=lambda of: of["most"] < COSINE,
        verdicts=(NOT_SIMPLE, NOT_SIMPLE),
        why="At every layer 95 of 100 pairs of mixed unrelated words have less than "
        "<b>{most:.2f}</b>, so 0.6 is high. But words of one kind, such as numbers, are more "
        "alike. And opposites such as hot and cold are used alike, so they are near, too.",
        otherwise="At layer {layer}, five of 100 pairs of mixed unrelated words have more than "
        "<b>{most:.2f}</b>, so 0.6 is not high. And opposites such as hot and cold are used "
        "alike, so they are near, too.",
        numbers=most_unrelated,
    ),
    Stop(
        "One step of fine-tuning changes every row of the embedding tables.",
        "Train one step on one sentence: “The king spoke to the queen”.",
        "Inside_the_Model",
        {"section": "what training changes"},
        view=lambda bert: training(SharedEncoder(bert)),
        holds=lambda of: of["words"] < of["all_words"],
        verdicts=(FALSE, TRUE),
        why="The gradient is 0 for all but {words} of {all_words:,} token rows, those of the "
        "text. Only in pre-training every row gets one, since words are predicted from the same "
        "table; and weight decay shrinks all a little.",
        otherwise="In this model it seems so: {words} of {all_words:,} token rows have a gradient.",
    ),
)

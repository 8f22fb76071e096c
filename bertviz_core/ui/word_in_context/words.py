"""The words the page on a word in context compares: read, run, named and chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.marks import read_marks
from bertviz_core.contextual.words import POOLINGS, Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.ui.chips import say_truncated
from bertviz_core.ui.html import note
from bertviz_core.ui.inputs import BOUND
from bertviz_core.ui.memory import models
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context import results as context_cache
from bertviz_core.ui.word_in_context.results import Asked

MOST_SENTENCES = 12
MOST_ANCHORS = 6
POOLING_CHOICES: dict[str, Pooling] = {pooling: pooling for pooling in POOLINGS}


@dataclass(frozen=True, eq=False)
class Compared:
    """What the page compares.

    Attributes:
        bert: The model in use.
        asked: The page's inputs as plain values.
        words: The marked words, sentence by sentence.
        anchors: The anchor words, each alone.
    """

    bert: Bert
    asked: Asked
    words: list[WordInContext]
    anchors: list[WordInContext]

    @property
    def everything(self) -> list[WordInContext]:
        """Words, then anchors."""
        return [*self.words, *self.anchors]

    @property
    def names(self) -> list[str]:
        """Short names of `everything` that stay apart: words are numbered."""
        names = [f"{i} {word.word}" for i, word in enumerate(self.words, start=1)]
        for anchor in self.anchors:
            name = anchor.word
            while name in names:
                name += " (anchor)"
            names.append(name)
        return names

    def sentence(self, place: int) -> str:
        """The sentence of a word, its mark shown where others of the same one are compared."""
        word = self.words[place]
        text = word.sentence
        if sum(other.sentence == text for other in self.words) > 1:
            _, start, end = span(word)
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
        return text.strip()

    def curve_names(self) -> list[str]:
        """One name a word, for legends: its number and its sentence."""
        return [f"{place + 1} {self.sentence(place)}" for place in range(len(self.words))]


def split_anchors(typed: str) -> list[str]:
    """Read anchor words, separated by commas; each stands alone between [CLS] and [SEP]."""
    return list(dict.fromkeys(word.strip() for word in typed.split(",") if word.strip()))


def run(bert: Bert, sentences: Sequence[str], anchors: Sequence[str], pooling: Pooling) -> Compared:
    """Run sentences and anchors through the model, saying what is left out.

    Raises:
        UserInputError: There is nothing to compare.
    """
    if not sentences:
        raise UserInputError("Type at least one sentence with a word in [brackets], one a line.")
    marks = sum(len(read_marks(sentence)) or 1 for sentence in sentences[:MOST_SENTENCES])
    if marks + len(anchors) < 2:
        raise UserInputError("Type a second sentence or an anchor word to compare with.")
    for name, given, most in (
        ("sentences", len(sentences), MOST_SENTENCES),
        ("anchor words", len(anchors), MOST_ANCHORS),
        ("marked words", marks, MOST_SENTENCES),
    ):
        if given > most:
            note(
                "{count} {name} were given; the first {most} are compared.",
                count=given,
                name=name,
                most=most,
            )
    asked = Asked(
        tuple(_alone(anchor) for anchor in anchors[:MOST_ANCHORS]),
        tuple(sentences[:MOST_SENTENCES]),
        pooling,
        MOST_SENTENCES,
    )
    texts = len(asked.anchors) + len(asked.sentences)
    doing = (
        f"Running BERT on {texts} texts …"
        if models.has_encoder(bert.name)
        else "Loading the model, once, then running it …"
    )
    with waiting(doing, height=720):
        words, compared = context_cache.words_in_context(bert.name, asked)
    for text in {word.sentence: word.text for word in (*words, *compared)}.values():
        say_truncated(text)
    return Compared(bert, asked, words, compared)


def choose(label: str, names: Sequence[str], *, key: str) -> int:
    """Ask for one of several words; with a single one there is nothing to ask.

    Args:
        label: What is chosen.
        names: At least one, all different.
        key: Name in the URL.

    Returns:
        The place of the chosen one in `names`; the first, if the kept one is gone.
    """
    if len(names) < 2:
        return 0
    if st.session_state.get(key) not in (None, *names):
        st.session_state[key] = names[0]
    chosen = st.selectbox(label, names, key=key, **BOUND)
    return names.index(chosen)


def span(word: WordInContext) -> tuple[str, int, int]:
    """The word's sentence, the first character of its tokens and one past their last."""
    spans = word.text.offsets[list(word.token_positions)]
    return word.sentence, int(spans[0, 0]), int(spans[-1, 1])


def _alone(anchor: str) -> str:
    """Mark an anchor as a whole, so that its own brackets or blanks do not matter."""
    escaped = anchor.replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
    return f"[{escaped}]"

"""Measure a model's cosines on the sentences of this project."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import Calibration
from bertviz_core.calibration.scales import MOST_PIECES, Pair, Scales, kinds, poolings_of, scale_of
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.words import pooled
from bertviz_core.encoder import POOLINGS, Encoder
from bertviz_core.encoder.batches import batches_by_length
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText, tokenize

SENTENCES = Path(__file__).parents[1] / "data" / "calibration.txt"
FUNCTION_WORDS = Path(__file__).parents[1] / "data" / "function_words.txt"
# Letters only, and nothing that belongs to the word beside them: not "didn't", not "half-time".
WORD = re.compile(r"(?<![\w'’-])[^\W\d_]{2,}(?![\w'’-])")
MOST_WORDS = {1: 300, 2: 150, 3: 150}  # of each number of pieces
SEED = 0
BATCH = 32  # sentences a step
MEAN_LENGTH = 16  # tokens; shorter texts go into larger batches
KINDS_A_STEP = 9
LONGEST = 26  # tokens; the few longer sentences would cost a third more time


def calibration_sentences() -> tuple[str, ...]:
    """The sentences this project measures with: English, about unrelated things."""
    lines = SENTENCES.read_text(encoding="utf-8").split("\n")
    return tuple(line.strip() for line in lines if line.strip())


class CalibrationRun:
    """A calibration, one batch a step, so that others may use the model between two steps."""

    def __init__(self, bert: Bert, sentences: Sequence[str] | None = None) -> None:
        """Choose the words; no model is run yet."""
        self.bert = bert
        self.done = 0  # of `total` steps
        self.scales: Scales | None = None  # before the last step
        given = calibration_sentences() if sentences is None else sentences
        every = [(sentence, tokenize(bert, sentence)) for sentence in given]
        short = [pair for pair in every if len(pair[1]) <= LONGEST and not pair[1].truncated]
        self._texts = [text for _, text in short]
        self._sentences = len(short)
        special = bert.vocabulary.is_special
        self._ordinary = [np.flatnonzero(~special[text.input_ids]) for text in self._texts]
        if not any(map(len, self._ordinary)):
            raise UserInputError(f"The sentences hold no token that {bert.name} knows.")
        layers = bert.num_hidden_layers + 1
        self._sums = np.zeros((layers, bert.hidden_size))
        self._words = content_words(bert, [sentence for sentence, _ in short], self._texts)
        # By number of pieces, each in its sentence and alone; see `scales.scale_of`.
        shapes = {
            pieces: (layers, len(poolings_of(pieces)), len(words), bert.hidden_size)
            for pieces, words in self._words.items()
        }
        self._in_sentences, self._alone = (
            {pieces: np.zeros(shape, np.float32) for pieces, shape in shapes.items()}
            for _ in range(2)
        )
        # Of each text its content words: the array they go to, their row in it, their positions.
        self._kept: list[list[tuple[Array, int, list[int]]]] = [[] for _ in short]
        for pieces, words in self._words.items():
            for row, word in enumerate(words):
                own = list(word.positions)
                self._kept[word.sentence].append((self._in_sentences[pieces], row, own))
                self._texts.append(word.alone)
                behind_cls = list(range(1, 1 + len(own)))
                self._kept.append([(self._alone[pieces], row, behind_cls)])
        self._batches = list(batches_by_length(self._texts, BATCH * MEAN_LENGTH))
        self._kinds = list(kinds())
        self._scales: dict[Pair, Calibration] = {}

    @property
    def total(self) -> int:
        return len(self._batches) + -(-len(self._kinds) // KINDS_A_STEP)

    def step(self, encoder: Encoder) -> None:
        """Run the next batch, or measure the next pairs. After the last step, nothing happens."""
        if self.done < len(self._batches):
            self._run(encoder, self._batches[self.done])
        elif self.scales is None:
            first = (self.done - len(self._batches)) * KINDS_A_STEP
            means = frozen(self._sums / sum(map(len, self._ordinary)))
            self._measure(means, self._kinds[first : first + KINDS_A_STEP])
            if self.done == self.total - 1:
                self.scales = Scales(self.bert.name, self._sentences, means, self._scales)
                self._in_sentences, self._alone, self._kept = {}, {}, []
        self.done = min(self.done + 1, self.total)

    def _run(self, encoder: Encoder, batch: list[int]) -> None:
        states = encoder.hidden_states_many([self._texts[number] for number in batch])
        for number, layers in zip(batch, states, strict=True):
            if number < self._sentences:
                ordinary = layers[:, self._ordinary[number]]
                self._sums += ordinary.sum(axis=1, dtype=np.float64)
            for vectors, row, positions in self._kept[number]:
                # A word of one piece has one way: the mean is the piece.
                for way, pooling in enumerate(POOLINGS[: vectors.shape[1]]):
                    vectors[:, way, row] = pooled(layers[:, positions], pooling)

    def _measure(self, means: Array, pairs: list[Pair]) -> None:
        origins = {
            pieces: np.array([word.sentence for word in words], dtype=np.int64)
            for pieces, words in self._words.items()
        }
        vectors = self._in_sentences, self._alone
        for pair in pairs:
            scale = scale_of(pair, *vectors, origins, self._sentences, means)
            if scale is not None:
                self._scales[pair] = scale


def calibrate(encoder: Encoder, sentences: Sequence[str] | None = None) -> Scales:
    """Measure how cosines of pairs of content words are spread at every layer, always the same."""
    run = CalibrationRun(encoder.bert, sentences)
    while run.scales is None:
        run.step(encoder)
    return run.scales


@dataclass(frozen=True)
class ContentWord:
    """The first occurrence of a word in the sentences."""

    word: str
    sentence: int
    positions: tuple[int, ...]
    alone: TokenizedText  # the same word as a text of its own


def function_words() -> frozenset[str]:
    """English words that hold a sentence together, and numbers."""
    return frozenset(FUNCTION_WORDS.read_text(encoding="utf-8").split())


def content_words(
    bert: Bert, sentences: Sequence[str], texts: Sequence[TokenizedText]
) -> dict[int, list[ContentWord]]:
    """Draw content words that the model knows, by their number of pieces: 1, 2, three and more."""
    seen = set(function_words())
    special = bert.vocabulary.is_special
    found: list[tuple[str, int, tuple[int, ...]]] = []
    for number, (sentence, text) in enumerate(zip(sentences, texts, strict=True)):
        for match in WORD.finditer(sentence):
            if match.group().lower() in seen:
                continue
            seen.add(match.group().lower())
            positions = pieces_of(MarkedText(sentence, *match.span()), text)
            if not special[text.input_ids[list(positions)]].any():
                found.append((match.group(), number, positions))
    drawn: dict[int, list[ContentWord]] = {pieces: [] for pieces in MOST_WORDS}
    for index in np.random.default_rng(SEED).permutation(len(found)):
        word, number, positions = found[index]
        pieces = min(len(positions), MOST_PIECES)
        if len(drawn[pieces]) == MOST_WORDS[pieces]:
            continue
        alone = tokenize(bert, word)
        # A tokenizer that is not BERT's may cut a word in another way without its neighbours.
        own = tuple(texts[number].tokens[position] for position in positions)
        if alone.tokens[1:-1] == own:
            drawn[pieces].append(ContentWord(word, number, positions, alone))
    return drawn

"""Measure a model's cosines on the sentences of this project."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from bertviz_core.arrays import Array, Ids
from bertviz_core.bert import Bert
from bertviz_core.calibration.cosines import Calibration
from bertviz_core.calibration.measuring import calibration_of
from bertviz_core.calibration.scales import ANY_TOKENS, Pair, Scales, kinds, scale_of
from bertviz_core.calibration.words import content_words, pooled_ways, poolings_of
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import TokenizedText, tokenize

SENTENCES = Path(__file__).parents[1] / "data" / "calibration.txt"
BATCH = 32  # sentences a step
MEAN_LENGTH = 16  # tokens; shorter texts go into larger batches
KINDS_A_STEP = 9
LONGEST = 26  # tokens; the few longer sentences would cost a third more time
OCCURRENCES = 3000
SEED = 0


def calibration_sentences() -> tuple[str, ...]:
    """The sentences this project measures with: English, about unrelated things."""
    lines = SENTENCES.read_text(encoding="utf-8").split("\n")
    return tuple(line.strip() for line in lines if line.strip())


class CalibrationRun:
    """A calibration, one batch a step, so that others may use the model between two steps.

    Sentences of more than 26 tokens are left out. Of all other tokens but the special ones, 3,000
    occurrences are drawn at random with a fixed seed, and of their content words up to 600, which
    are run once more, each alone; only the vectors of these are kept.

    Attributes:
        bert: The checkpoint to measure.
        done: Steps taken.
        total: Steps in all: one for each batch, one for pairs of tokens, six for those of words.
        scales: The result, after the last step; None before.
    """

    def __init__(self, bert: Bert, sentences: Sequence[str] | None = None) -> None:
        """Choose the occurrences; no model is run yet.

        Args:
            bert: The checkpoint to measure.
            sentences: What to measure with; None for `calibration_sentences`.
        """
        self.bert = bert
        self.done = 0
        self.scales: Scales | None = None
        given = calibration_sentences() if sentences is None else sentences
        every = [(sentence, tokenize(bert, sentence)) for sentence in given]
        short = [pair for pair in every if len(pair[1]) <= LONGEST and not pair[1].truncated]
        self._texts = [text for _, text in short]
        self._sentences = len(short)
        special = bert.vocabulary.is_special
        positions = [np.flatnonzero(~special[text.input_ids]) for text in self._texts]
        origins = np.repeat(np.arange(len(positions)), [len(kept) for kept in positions])
        order = np.random.default_rng(SEED).permutation(len(origins))[:OCCURRENCES]
        self._origins: Ids = origins[order]
        self._positions = np.concatenate([*positions, np.empty(0, dtype=np.int64)])[order]
        layers = bert.num_hidden_layers + 1
        self._vectors = np.zeros((layers, len(order), bert.hidden_size), dtype=np.float32)
        self._words = content_words(bert, [sentence for sentence, _ in short], self._texts)
        # By number of pieces, each in its sentence and alone; see `scales.scale_of`.
        self._in_sentences, self._alone = (
            {
                pieces: np.zeros(
                    (layers, len(poolings_of(pieces)), len(words), bert.hidden_size), np.float32
                )
                for pieces, words in self._words.items()
            }
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
        # Sorted by length, so that little is padded in a batch; the words alone come first.
        by_length = sorted(range(len(self._texts)), key=lambda number: len(self._texts[number]))
        self._batches = list(_batches(self._texts, by_length))
        self._kinds = list(kinds())
        self._scales: dict[Pair, Calibration] = {}
        self._tokens: Calibration | None = None

    @property
    def total(self) -> int:
        return len(self._batches) + 1 + -(-len(self._kinds) // KINDS_A_STEP)

    def step(self, encoder: Encoder) -> None:
        """Run the next batch, or measure the next pairs. After the last step, nothing happens.

        Raises:
            UserInputError: The sentences hold too few tokens that the model knows.
        """
        if self.done < len(self._batches):
            self._run(encoder, self._batches[self.done])
        elif self._tokens is None:
            self._tokens = self._scale_of_tokens()
        elif self.scales is None:
            first = (self.done - len(self._batches) - 1) * KINDS_A_STEP
            self._measure(self._tokens, self._kinds[first : first + KINDS_A_STEP])
            if self.done == self.total - 1:
                self.scales = Scales(self._tokens, self._scales)
                self._in_sentences, self._alone, self._kept = {}, {}, []
        self.done = min(self.done + 1, self.total)

    def _run(self, encoder: Encoder, batch: list[int]) -> None:
        states = encoder.hidden_states_many([self._texts[number] for number in batch])
        for number, layers in zip(batch, states, strict=True):
            rows = np.flatnonzero(self._origins == number)
            self._vectors[:, rows] = layers[:, self._positions[rows]]
            for vectors, row, positions in self._kept[number]:
                vectors[:, :, row] = pooled_ways(layers[:, positions])

    def _scale_of_tokens(self) -> Calibration:
        ids = [
            int(self._texts[origin].input_ids[position])
            for origin, position in zip(self._origins, self._positions, strict=True)
        ]
        vectors, self._vectors = self._vectors, np.empty((0, 0, 0), dtype=np.float32)
        return calibration_of(
            self.bert.name,
            vectors,
            np.array(ids, dtype=np.int64),
            self._origins,
            sentences=self._sentences,
            kind=ANY_TOKENS,
        )

    def _measure(self, tokens: Calibration, pairs: list[Pair]) -> None:
        origins = {
            pieces: np.array([word.sentence for word in words], dtype=np.int64)
            for pieces, words in self._words.items()
        }
        for pair in pairs:
            scale = scale_of(pair, tokens, self._in_sentences, self._alone, origins)
            if scale is not None:
                self._scales[pair] = scale


def _batches(texts: Sequence[TokenizedText], numbers: list[int]) -> Iterator[list[int]]:
    """Cut a list of texts into batches: 32 sentences, or as many tokens in shorter texts."""
    batch: list[int] = []
    for number in numbers:
        if batch and (len(batch) + 1) * len(texts[number]) > BATCH * MEAN_LENGTH:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def calibrate(
    encoder: Encoder,
    sentences: Sequence[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Scales:
    """Measure how cosines of pairs are spread at every layer: of any tokens, and of content words.

    A pair of tokens is of different tokens of different sentences. [CLS], [SEP] and other special
    tokens are left out. Words are as of `words.content_words`, and pairs of them as of
    `scales.Pair`. The result never changes: the sentences and the seeds are fixed.

    Args:
        encoder: The model to measure.
        sentences: What to measure with; None for the sentences of this project.
        progress: Called after each step with the steps done and the steps in all.

    Returns:
        The scales. How sure a percentile is: `Calibration.interval`.

    Raises:
        UserInputError: The sentences hold too few tokens that the model knows.

    References:
        Ethayarajh (2019), section 3.3, on the cosine of random words as a baseline.
    """
    run = CalibrationRun(encoder.bert, sentences)
    while run.scales is None:
        run.step(encoder)
        if progress is not None:
            progress(run.done, run.total)
    return run.scales

"""Which way of making one vector of a text made a given vector: pooling, layer, cut, precision."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, frozen, ratio, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual.sentence_vectors import BY_LAYER, POOLER, TABLE
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, expect, expect_each
from bertviz_core.result import Result, top
from bertviz_core.tokens import TokenizedText, tokenize

MAX_PAIRS = 500
CUTS = (128, 256, 512)  # tokens, beside the model's own
# A way may have made a vector if that is this much nearer to it than vectors of unrelated texts
# are, as a share of their 1 - cosine.
SHARE = 0.4
FREE = 1e-5  # 1 - cosine; ways that bring unrelated texts nearer than this say nothing of a text
SAME = 1e-10  # square of a distance; two ways that make the same vector are no further apart
POINTING = 0.5  # cosine of an error to the way from one recipe to another; larger ones are rare
CHUNK = 16  # texts whose ways are in memory at once
MEAN, CLS, LARGEST = BY_LAYER
# Unrelated to most texts and to each other: how near any other text's vector is, in each way.
REFERENCES = (
    "The cat sat on the mat.",
    "Prices rose by four percent in March.",
    "Where did you put my keys?",
    "Add the molecules to cold water",
    "He plays chess with his uncle.",
)


class Band(NamedTuple):
    """What leaves a vector as near to its way as this: `low` <= 1 - cosine < `high`."""

    name: str
    low: float
    high: float
    about: str  # software and types seen in it


BANDS = (
    Band("float32", 0, 1e-9, "computed and stored in float32"),
    Band("float16", 1e-9, 2e-7, "stored in float16, or printed with 4 to 6 decimals"),
    Band("bfloat16", 2e-7, 6e-6, "stored in bfloat16, or computed with GELU by tanh"),
    Band("int8 stored", 6e-6, 1.5e-4, "stored in int8 by one scale, or computed in bfloat16"),
    Band("int16 or q8", 1.5e-4, 2e-3, "computed with weights of int16 or of 8 bits in blocks"),
    Band("int8", 2e-3, 1e-2, "computed in int8, by channel"),
    Band("int8 by tensor", 1e-2, 0.2, "computed in int8 by one scale a matrix, or in 4 bits"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Recipes(Result):
    """The ways to make one vector of a text, and how near each comes to the vector given.

    Attributes:
        names: The n ways, the nearest first: "mean, layer 6", "pooler", "max, layer 2, cut at 128".
        cosines: float64 (n,), of the vector to each way's; of several pairs their mean.
        by_pair: float64 (pairs, n), the same of each pair of a text and a vector.
        largest_difference: float64 (n,), between numbers of the two, both scaled to length 1.
        length: Of the vector; of several the mean.
        own_length: Of the nearest way's vector before any scaling.
        normalized: Whether the vectors were scaled to length 1. None where the length tells
            neither: it is another, or the way's own is 1.
        best: The way that made it; None if none of these did.
        undecided: Ways that may have made it as well, at this precision; not the best one.
        text_free: Ways near enough only because they make nearly the same of any text, such as
            [CLS] at layer 0. If the best is one, nothing shows that the vector is of this text.
        precision: The name of the band of `BANDS` that the nearest way is in; None without best.
        tokens: How many tokens the longest text has, before any cut.
        cuts: Numbers of tokens to which texts were also cut, where that changes one.
    """

    names: tuple[str, ...]
    cosines: Exact
    by_pair: Exact
    largest_difference: Exact
    length: float
    own_length: float
    normalized: bool | None
    best: str | None
    undecided: tuple[str, ...]
    text_free: tuple[str, ...]
    precision: str | None
    tokens: int
    cuts: tuple[int, ...]

    def columns(self) -> dict[str, Any]:
        """One row a way, the nearest first."""
        return {
            "way": self.names,
            "cosine": self.cosines,
            "1 - cosine": 1 - self.cosines,
            "largest difference": self.largest_difference,
        }

    def _summary(self) -> str:
        return f"{self.best or 'none of these'}, {self.precision}: {top(self.names, self.cosines)}"


def recipes_of(encoder: Encoder, text: TokenizedText | str, vector: Any) -> Recipes:
    """Find which way of making one vector of a text made a given vector.

    Args:
        encoder: The model that is said to have made it.
        text: The text, or its tokens from `tokenize` for the same checkpoint.
        vector: hidden_size numbers, in any type and at any scale.

    Returns:
        All ways with their cosines, the nearest first, and which one it is.

    Raises:
        UserInputError: The vector has another size, is all zeros or holds NaN or inf.

    Example:
        >>> states = encoder.hidden_states(tokenize(bert, "How old are you?"))
        >>> found = recipes_of(encoder, "How old are you?", states[5].mean(axis=0))
        >>> found.best, found.precision
        ('mean, layer 5', 'float32')
    """
    return recipes_of_pairs(encoder, [text], [vector])


def recipes_of_pairs(
    encoder: Encoder,
    texts: Sequence[TokenizedText | str],
    vectors: Any,
    *,
    progress: Callable[[int, int], object] = lambda done, total: None,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Recipes:
    """`recipes_of` for up to 500 texts and vectors of one maker, with their evidence together.

    Args:
        encoder: The model that is said to have made them.
        texts: The texts, or their tokens.
        vectors: One row a text, (pairs, hidden_size).
        progress: Called with how many pairs are done and how many there are.
        turn: Entered for each batch, so that others may use the model between two batches.

    Returns:
        One best way for all, and `by_pair` the cosines of each.

    Raises:
        UserInputError: As of `recipes_of`; or there is no pair, too many, or not a vector a text.
    """
    bert = expect(encoder, Encoder, "an Encoder, from load_encoder").bert
    wanted = "texts, each a str or from tokenize"
    typed: list[Any] = list(expect_each(texts, (str, TokenizedText), wanted))
    given, lengths = _checked(bert, vectors, len(typed))
    read = [text if isinstance(text, TokenizedText) else tokenize(bert, text) for text in typed]
    cuts, levels = _levels(bert, read)
    others = [_ways(encoder, *each) for each in _states(encoder, tokenize(bert, REFERENCES), turn)]
    unrelated = unit_rows(np.stack([[*ways.values()] for ways in others]))
    names = [way + cut for cut in levels for way in others[0]]
    by_pair, own_lengths = np.empty((2, len(read), len(names)))
    unlike, differences = np.zeros((2, len(names)))
    products = np.zeros((len(names), len(names)))
    for first in range(0, len(read), CHUNK):
        chunk = range(first, min(first + CHUNK, len(read)))
        run = list({id(of[at]): of[at] for of in levels.values() for at in chunk}.values())
        made = {
            id(text): [*_ways(encoder, text, states).values()]
            for text, states in _states(encoder, run, turn)
        }
        for at in chunk:
            ways = np.array([made[id(of[at])] for of in levels.values()])
            units = unit_rows(ways)
            alike = np.einsum("cwi,rwi->rcw", units, unrelated)
            unlike += (1 - np.median(alike, axis=0).ravel()) / len(read)
            units = units.reshape(len(names), -1)
            own_lengths[at] = np.linalg.norm(ways, axis=-1).ravel()
            by_pair[at] = units @ given[at]
            differences = np.maximum(differences, np.abs(units - given[at]).max(axis=1))
            products += units @ units.T / len(read)
        progress(chunk.stop, len(read))
    fixed = {f"{token}, layer 0" for token in bert.tokenizer.encode("").tokens}
    unlike[[name.partition(", cut")[0] in fixed for name in names]] = 0
    cosines = by_pair.mean(axis=0)
    order = np.argsort(-cosines, kind="stable")
    best = order[0]
    possible = 1 - cosines <= np.clip(SHARE * unlike, FREE, BANDS[-1].high)
    # If another way made it: the error that this takes, and how much of it points to the best one.
    errors, apart = 2 - 2 * cosines, 2 - 2 * products[best]
    towards = ratio((errors + apart - errors[best]) / 2, np.sqrt((errors * apart).clip(0)))
    undecided = possible & ((apart < SAME) | (towards < POINTING)) & possible[best]
    is_unit, is_own = (
        bool((np.abs(lengths / each - 1) < 0.01 + np.sqrt(errors[best].clip(0))).all())
        for each in (1, own_lengths[:, best])
    )
    text_free = possible & (1 - cosines >= SHARE * unlike)
    made_it = bool(possible[best])
    return Recipes(
        names=tuple(names[way] for way in order),
        cosines=frozen(cosines[order], np.float64),
        by_pair=frozen(by_pair[:, order], np.float64),
        largest_difference=frozen(differences[order], np.float64),
        length=float(lengths.mean()),
        own_length=float(own_lengths[:, best].mean()),
        normalized=is_unit if is_unit != is_own else None,
        best=names[best] if made_it else None,
        undecided=tuple(names[way] for way in order[1:] if undecided[way]),
        text_free=tuple(names[way] for way in order if text_free[way]),
        precision=band_of(1 - cosines[best]).name if made_it else None,
        tokens=max(len(text) + text.truncated for text in read),
        cuts=cuts,
    )


def band_of(distance: float) -> Band:
    """The band of 1 - cosine; the last one for all beyond it."""
    return next((band for band in BANDS if distance < band.high), BANDS[-1])


def _checked(bert: Bert, vectors: Any, count: int) -> tuple[Exact, Exact]:
    """The vectors scaled to length 1, (count, hidden_size), and their lengths."""
    if not 1 <= count <= MAX_PAIRS:
        raise UserInputError(f"Give 1 to {MAX_PAIRS} texts, each with its vector; got {count}.")
    try:
        rows = np.asarray(vectors)
    except ValueError:  # lists of different lengths
        rows = np.empty(0)
    if rows.shape != (count, bert.hidden_size) or rows.dtype.kind not in "iuf":
        raise UserInputError(
            f"Give {bert.hidden_size} numbers for each of {count} texts, as {bert.name} makes; "
            f"got {rows.dtype} of shape {rows.shape}."
        )
    rows = rows.astype(np.float64)
    largest = np.abs(rows).max(axis=1)
    if not np.isfinite(largest).all():
        raise UserInputError("A vector holds NaN or infinity; give finite numbers.")
    if not largest.all():
        raise UserInputError("A vector is all zeros: no way makes that. Give another.")
    scaled = rows / largest[:, None]  # squares of very large numbers would be infinite
    return unit_rows(scaled), largest * np.linalg.norm(scaled, axis=1)


def _levels(
    bert: Bert, texts: list[TokenizedText]
) -> tuple[tuple[int, ...], dict[str, list[TokenizedText]]]:
    """The sizes in tokens to cut at, and by the end of a name the texts as they are, and cut."""
    longest = max(len(text) + text.truncated for text in texts)
    most = bert.max_position_embeddings
    sizes = sorted({*CUTS, origin_of(bert.checkpoint).cut_at or most, most})
    cuts = tuple(size for size in sizes if size <= most and size < longest)
    whole = {} if longest > most else {"": texts}
    return cuts, whole | {f", cut at {cut}": [_cut(text, cut) for text in texts] for cut in cuts}


def _cut(text: TokenizedText, size: int) -> TokenizedText:
    """The first tokens of a text, and [CLS] and [SEP]: `size` in all."""
    if len(text) <= size:
        return text
    beyond = {*_inside(text)[size - len(text) :]}
    return text.only([place for place in range(len(text)) if place not in beyond])


def _inside(text: TokenizedText) -> list[int]:
    """The places of a text's own tokens, without [CLS] and [SEP] that the tokenizer adds."""
    return [place for place, word in enumerate(text.word_ids) if word is not None]


def _states(
    encoder: Encoder,
    texts: list[TokenizedText],
    turn: Callable[[], AbstractContextManager[None]],
) -> Iterator[tuple[TokenizedText, Array]]:
    """Each text with its hidden states, (layers + 1, seq_len, hidden_size), in any order."""
    batches = encoder.iter_batches(texts, [range(len(text)) for text in texts])
    while True:
        with turn():
            batch = next(batches, None)
        if batch is None:
            return
        indices, ends, states = batch
        for index, of_text in zip(indices, np.split(states, ends[:-1], axis=1), strict=True):
            yield texts[index], of_text


def _ways(encoder: Encoder, text: TokenizedText, states: Array) -> dict[str, Any]:
    """One vector of a text in each way, (hidden_size,), by the way's name."""
    added = encoder.bert.tokenizer.encode("").tokens
    first, last = (added[0], added[-1]) if added else ("first token", "last token")
    without = f" without {' and '.join(dict.fromkeys(added))}"
    rows = encoder.bert.tables.word_embeddings[text.input_ids]
    inside = _inside(text)
    mean, inner_mean, table, inner_table = (
        # Of no tokens the sum: zeros.
        vectors.sum(axis=-2, dtype=np.float64) / max(vectors.shape[-2], 1)
        for vectors in (states, states[:, inside], rows, rows[inside])
    )
    layered = {MEAN: mean, MEAN + without: inner_mean}
    layered |= {first: states[:, 0], last: states[:, -1], LARGEST: states.max(axis=1)}
    ways = {f"{way}, layer {n}": of[n] for way, of in layered.items() for n in range(len(mean))}
    end = len(mean) - 1
    ways[f"mean, layers {max(end - 3, 0)} to {end}"] = mean[-4:].mean(axis=0)
    for start in (0, 1):
        ways[f"mean, layers {start} and {end}"] = mean[[start, end]].mean(axis=0)
    if encoder.has_pooler:
        ways[POOLER] = encoder.pooler_output(states[-1, :1])[0]
    return ways | {TABLE: table, TABLE + without: inner_table}

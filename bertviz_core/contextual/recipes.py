"""Which way of making one vector of a text made a given vector: pooling, layer, cut, precision."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, frozen, ratio, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual.sentence_vectors import BY_LAYER, POOLER, TABLE
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.model import Turn
from bertviz_core.errors import UserInputError, expect, expect_each
from bertviz_core.result import Result, top
from bertviz_core.tokens import TokenizedText, tokenize

MAX_PAIRS = 500
CUTS = (128, 256, 512)  # tokens, beside the model's own
CHUNK = 16  # texts whose ways are in memory at once
MEAN, _, LARGEST = BY_LAYER
# How near is the vector of any other text? Long texts are nearer to each other than short ones.
REFERENCES = [
    *("The cat sat on the mat.", "Prices rose by four percent in March."),
    *(
        "Where did you put my keys?",
        "Add the flour to cold water",
        "He plays chess with his uncle.",
    ),
]
REFERENCES.append(" ".join(REFERENCES))
SHARE = 0.25  # of that 1 - cosine; a way that is further from a vector did not make it
FREE = 1e-5  # 1 - cosine; a way so near may have made it, even if other texts are as near
SAME = 1e-10  # square of a distance; two ways that make the same vector are no further apart
POINTING = 0.3  # cosine of an error and the step from one way to another; it is rarely larger


class Band(NamedTuple):
    """A precision: what it leaves of 1 - cosine is at least `low` and below `high`."""

    name: str
    low: float
    high: float
    about: str


BANDS = (
    Band("float32", 0, 1e-10, "computed and stored in float32"),
    Band("float16", 1e-10, 2e-7, "stored in float16, or printed with 4 decimals or more"),
    Band("bfloat16", 2e-7, 6e-6, "stored in bfloat16, or computed with GELU by tanh"),
    Band("int8 stored", 6e-6, 2e-4, "stored in int8 by one scale, or computed in bfloat16"),
    Band("int16 or q8", 2e-4, 1.5e-3, "computed with weights of int16, or of 8 bits in blocks"),
    Band("int8", 1.5e-3, 1e-2, "computed in int8 with a scale for each row of a matrix"),
    Band("int8 by matrix", 1e-2, 0.25, "computed in int8 with a scale a matrix, or in 4 bits"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Recipes(Result):
    """The n ways to make one vector of a text, and how near each comes to the vector given.

    Attributes:
        names: The nearest first: "mean, layer 6", "pooler", "max, layer 2, cut at 128".
        cosines: float64 (n,), of the vector to each way's; of several pairs their mean.
        by_pair: float64 (pairs, n), the same of each pair of a text and a vector.
        largest_difference: float64 (n,), between numbers of the two, both scaled to length 1.
        length: Of the vector; of several the mean.
        own_length: Of the nearest way's vector before any scaling.
        normalized: Whether the vectors were scaled to length 1. None where the length tells
            neither: it is another, or the way's own is 1.
        best: The way that made it; None if none of these did.
        undecided: Other ways that may have made it as well, at this precision.
        text_free: Ways near enough only because they make nearly the same of any text, such as
            [CLS] at layer 0. If the best is one, nothing shows that the vector is of this text.
        precision: The name of the best way's band of `BANDS`: that of its 1 - cosine, or, where
            all numbers are of a narrower type, of that one. None without a best way.
        tokens: Of the longest text, before any cut.
        cuts: To how many tokens texts were also cut, where that changes one.
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
        distances = {"1 - cosine": 1 - self.cosines, "largest difference": self.largest_difference}
        return {"way": self.names, "cosine": self.cosines, **distances}

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
        UserInputError: The vector has another size, is all zeros or holds NaN or infinity.

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
    turn: Turn = nullcontext,
) -> Recipes:
    """`recipes_of` for up to 500 texts and vectors of one maker, with their evidence together.

    `vectors` has a row for each text. `progress` is called with how many pairs are done and how
    many there are; `turn` is entered for each batch, so that others may use the model in between.
    """
    bert = expect(encoder, Encoder, "an Encoder, from load_encoder").bert
    wanted = "texts, each a str or from tokenize"
    typed: list[Any] = list(expect_each(texts, (str, TokenizedText), wanted))
    rows = _checked(bert, vectors, len(typed))
    given, lengths = unit_rows(rows), np.linalg.norm(rows, axis=1)
    read = [text if isinstance(text, TokenizedText) else tokenize(bert, text) for text in typed]
    longest, most = max(len(text) + text.truncated for text in read), bert.max_position_embeddings
    sizes = {*CUTS, most, origin_of(bert.checkpoint).cut_at or most}
    cuts = tuple(sorted(size for size in sizes if size <= most and size < longest))
    levels = {"": read} if longest <= most else {}
    levels |= {f", cut at {cut}": [_cut(text, cut) for text in read] for cut in cuts}
    others = [made for _, made in _made(encoder, tokenize(bert, REFERENCES), turn)]
    unrelated = unit_rows(np.array([[*ways.values()] for ways in others]))  # the longest first
    names = np.array([way + cut for cut in levels for way in others[0]])
    by_pair, own_lengths = np.empty((2, len(read), len(names)))
    unlike, differences = np.zeros((2, len(names)))
    products = np.zeros((len(names), len(names)))
    for first in range(0, len(read), CHUNK):
        chunk = range(first, min(first + CHUNK, len(read)))
        run = list({id(of[at]): of[at] for of in levels.values() for at in chunk}.values())
        made = {id(text): [*ways.values()] for text, ways in _made(encoder, run, turn)}
        for at in chunk:
            ways = np.array([made[id(of[at])] for of in levels.values()])
            units = unit_rows(ways)
            apart = 1 - np.einsum("cwi,rwi->rcw", units, unrelated).reshape(-1, len(names))
            unlike += np.minimum(apart[0], np.median(apart[1:], axis=0)) / len(read)
            units = units.reshape(len(names), -1)
            own_lengths[at] = np.linalg.norm(ways, axis=-1).ravel()
            by_pair[at] = units @ given[at]
            differences = np.maximum(differences, np.abs(units - given[at]).max(axis=1))
            products += units @ units.T / len(read)
        progress(chunk.stop, len(read))
    at_input = [f"{token}, layer 0{cut}" for token in _added(bert) for cut in levels]
    unlike[np.isin(names, at_input)] = 0  # [SEP] differs with the number of tokens alone
    distances = 1 - by_pair.mean(axis=0)
    order = np.argsort(distances, kind="stable")
    best = order[0]
    possible = distances <= np.clip(SHARE * unlike, FREE, BANDS[-1].high)
    # If another way made it: its error, and how much of that points to the best one.
    apart = 1 - products[best]
    towards = (distances + apart - distances[best]) / 2
    pointing = ratio(towards, np.sqrt((distances * apart).clip(0)))
    undecided = possible & possible[best] & ((apart < SAME) | (pointing < POINTING))
    is_unit, is_own = (
        bool((np.abs(lengths / each - 1) < 0.01 + np.sqrt(2 * distances[best].clip(0))).all())
        for each in (1, own_lengths[:, best])
    )
    return Recipes(
        names=tuple(names[order].tolist()),
        cosines=frozen(1 - distances[order], np.float64),
        by_pair=frozen(by_pair[:, order], np.float64),
        largest_difference=frozen(differences[order], np.float64),
        length=float(lengths.mean()),
        own_length=float(own_lengths[:, best].mean()),
        normalized=is_unit if is_unit != is_own else None,
        best=str(names[best]) if possible[best] else None,
        undecided=tuple(names[[way for way in order[1:] if undecided[way]]].tolist()),
        text_free=tuple(names[possible & (distances >= SHARE * unlike)].tolist()),
        precision=_stored(rows, distances[best]).name if possible[best] else None,
        tokens=longest,
        cuts=cuts,
    )


def band_of(distance: float) -> Band:
    """The band of 1 - cosine; the last one for all beyond it."""
    return next((band for band in BANDS if distance < band.high), BANDS[-1])


def _checked(bert: Bert, vectors: Any, count: int) -> Exact:
    """The vectors as float64 (count, hidden_size)."""
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
    if not ((largest > 1e-100) & (largest < 1e100)).all():  # their squares are numbers, and not 0
        raise UserInputError("A vector is all zeros, or holds NaN or infinity; leave it out.")
    return rows


def _stored(rows: Exact, distance: float) -> Band:
    """The band of a distance, or of the narrower type that all numbers are of."""
    single = rows.astype(np.float32)
    if distance < 5e-3 and (rows == rows.round().clip(-128, 127)).all():
        return BANDS[3]
    if distance < BANDS[2].high and not (single.view(np.uint32) & 0xFFFF).any():
        return BANDS[2]
    if distance < BANDS[1].high and (single == single.astype(np.float16)).all():
        return BANDS[1]
    return band_of(distance)


def _cut(text: TokenizedText, size: int) -> TokenizedText:
    """The first tokens of a text, and [CLS] and [SEP]: `size` in all."""
    if len(text) <= size:
        return text
    beyond = {*_inside(text)[size - len(text) :]}
    return text.only([place for place in range(len(text)) if place not in beyond])


def _added(bert: Bert) -> list[str]:
    """The tokens that the tokenizer adds to a text, [CLS] and [SEP]."""
    return list(dict.fromkeys(bert.tokenizer.encode("").tokens))


def _inside(text: TokenizedText) -> list[int]:
    """The places of a text's tokens that the tokenizer did not add."""
    return [place for place, word in enumerate(text.word_ids) if word is not None]


def _made(
    encoder: Encoder, texts: list[TokenizedText], turn: Turn
) -> Iterator[tuple[TokenizedText, dict[str, Any]]]:
    """Each text with what each way makes of it, (hidden_size,) by name; the longest text first."""
    all_tokens = [range(len(text)) for text in texts]
    for indices, ends, states in encoder.iter_batches(texts, all_tokens, turn):
        for index, of_text in zip(indices, np.split(states, ends[:-1], axis=1), strict=True):
            yield texts[index], _ways(encoder, texts[index], of_text)


def _ways(encoder: Encoder, text: TokenizedText, states: Array) -> dict[str, Any]:
    """What each way makes of a text with these hidden states."""
    added, inside = _added(encoder.bert), _inside(text)
    first, last = (added[0], added[-1]) if added else ("first token", "last token")
    without = f" without {' and '.join(added)}"
    rows = encoder.bert.tables.word_embeddings[text.input_ids]
    mean, inner_mean, table, inner_table = (
        vectors.sum(axis=-2, dtype=np.float64) / max(vectors.shape[-2], 1)  # of none: zeros
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
        ways[POOLER] = encoder.pooler_output(states[-1:, 0])[0]
    return ways | {TABLE: table, TABLE + without: inner_table}

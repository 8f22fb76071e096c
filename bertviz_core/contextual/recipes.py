"""Which way of making one vector of a text made a given vector: pooling, layer, cut, precision."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, frozen, ratio, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual.sentence_vectors import BY_LAYER, POOLER, TABLE
from bertviz_core.encoder import Encoder, Turn
from bertviz_core.errors import UserInputError, expect, expect_each
from bertviz_core.result import Result, top
from bertviz_core.tokens import TokenizedText, tokenize

MAX_PAIRS = 500
CUTS = (128, 256, 512)  # tokens, beside the model's own
CHUNK = 16  # texts whose ways are in memory at once
# How near are other texts? One of more than 64 tokens is compared with all in one, too.
OTHERS = ["The cat sat on the mat.", "Prices rose by four percent in March.", "Where are my keys?"]
OTHERS += ["Add the flour to cold water.", "He plays chess with his uncle."]
SHARE = 0.25  # of that 1 - cosine; a way that is further from a vector did not make it
FREE = 1e-5  # 1 - cosine; a way so near may have made it, even if other texts are as near
SAME = 1e-10  # 1 - cosine of two ways that make the same vector
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
    Band("int8 stored", 6e-6, 2e-4, "stored in int8 or 3 decimals, or computed in bfloat16"),
    Band("int16 or q8", 2e-4, 1e-3, "computed with weights of int16, or of 8 bits in blocks"),
    Band("int8", 1e-3, 1e-2, "computed in int8 by row, kept in 2 decimals, or of nearly this text"),
    Band("int8 by matrix", 1e-2, 0.25, "computed in int8 or 4 bits, or of nearly this text"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Recipes(Result):
    """The n ways to make one vector of a text, and how near each comes to the vector given."""

    names: tuple[str, ...]  # nearest first: "mean, layer 6", "pooler", "max, layer 2, cut at 128"
    cosines: Exact  # float64 (n,), of the vector to each way's; of several pairs their mean
    by_pair: Exact  # float64 (pairs, n), the same of each pair of a text and a vector
    largest_difference: Exact  # float64 (n,), between numbers of the two, both scaled to length 1
    length: float  # of the vector; of several the mean
    normalized: bool | None  # whether scaled to length 1; None where the length tells neither
    best: str | None  # the way that made it; None if none of these did
    undecided: tuple[str, ...]  # others that may have made it as well, at this precision
    # Near enough only because they make nearly the same of any text, as [CLS] at layer 0: if the
    text_free: tuple[str, ...]  # best is one, nothing shows that the vector is of this text
    precision: str | None  # the name of the best one's band, of the middle pair; see `band_of`
    tokens: int  # of the longest text, before any cut
    cuts: tuple[int, ...]  # to how many tokens texts were also cut, where that changes one

    @property
    def about(self) -> str:
        """What leaves a vector as near as the best way is; "" without one."""
        return next((band.about for band in BANDS if band.name == self.precision), "")

    @property
    def alone(self) -> int:
        """For how many pairs, each alone, the nearest way of all is the nearest, too."""
        return int((self.by_pair.argmax(axis=1) == 0).sum())

    @property
    def furthest(self) -> int:
        """The pair whose vector is furthest from that way's, counted from 0."""
        return int(self.by_pair[:, 0].argmin())

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
    typed: Any = list(expect_each(texts, (str, TokenizedText), "texts, each as of recipes_of"))
    rows = _checked(bert, vectors, len(typed))
    given, lengths = unit_rows(rows), np.linalg.norm(rows, axis=1)
    read = [text if isinstance(text, TokenizedText) else tokenize(bert, text) for text in typed]
    longest, most = max(len(text) + text.truncated for text in read), bert.max_position_embeddings
    sizes = {*CUTS, most, origin_of(bert.checkpoint).cut_at or most}
    cuts = tuple(sorted(size for size in sizes if size <= most and size < longest))
    levels = {"": read} if longest <= most else {}
    levels |= {f", cut at {cut}": [_cut(text, cut) for text in read] for cut in cuts}
    against = [*OTHERS[:3], " ".join(OTHERS)] if longest > 64 else OTHERS[:3]
    ways, others = _made(encoder, tokenize(bert, against), turn)
    names = np.array([way + cut for cut in levels for way in ways])
    by_pair, own_lengths = np.empty((2, len(read), len(names)))
    unlike, differences = np.zeros((2, len(names)))
    products = np.zeros((len(names), len(names)))
    for first in range(0, len(read), CHUNK):
        chunk = range(first, min(first + CHUNK, len(read)))
        _, made = _made(encoder, [of[at] for at in chunk for of in levels.values()], turn)
        for at, vectors in zip(chunk, np.split(made, len(chunk)), strict=True):
            units = unit_rows(vectors)
            apart = 1 - np.einsum("cwi,rwi->rcw", units, unit_rows(others)).reshape(-1, len(names))
            middle = np.median(apart[:3], axis=0)
            unlike += apart[3:].min(axis=0, initial=2).clip(max=middle) / len(read)
            units = units.reshape(len(names), -1)
            own_lengths[at] = np.linalg.norm(vectors, axis=-1).ravel()
            by_pair[at] = units @ given[at]
            differences = np.maximum(differences, np.abs(units - given[at]).max(axis=1))
            products += units @ units.T / len(read)
        progress(chunk.stop, len(read))
    fixed = [f"{of}, layer 0{cut}" for of in bert.tokenizer.encode("").tokens for cut in levels]
    unlike[np.isin(names, fixed)] = 0  # that of [SEP] differs by the number of tokens alone
    distances = 1 - by_pair.mean(axis=0)
    order = np.argsort(distances, kind="stable")
    best = order[0]
    possible = distances <= np.clip(SHARE * unlike, FREE, BANDS[-1].high)
    # If another way made it: how much of its error would point to the best one, as a cosine.
    apart = 1 - products[best]
    towards = (distances + apart - distances[best]) / 2
    pointing = ratio(towards, np.sqrt((distances * apart).clip(0)))
    undecided = possible & possible[best] & ((apart < SAME) | (pointing < POINTING))
    off = 0.01 + np.sqrt(2 * distances[best].clip(0))  # that lengths may be, at this distance
    by_own = lengths / own_lengths[:, best].clip(1e-100)
    is_unit, is_own = (bool((np.abs(each - 1) < off).all()) for each in (lengths, by_own))
    return Recipes(
        names=tuple(names[order].tolist()),
        cosines=frozen(1 - distances[order], np.float64),
        by_pair=frozen(by_pair[:, order], np.float64),
        largest_difference=frozen(differences[order], np.float64),
        length=float(lengths.mean()),
        normalized=is_unit if is_unit != is_own and possible[best] else None,
        best=str(names[best]) if possible[best] else None,
        undecided=tuple(names[[way for way in order[1:] if undecided[way]]].tolist()),
        text_free=tuple(names[possible & (distances + SAME > SHARE * unlike)].tolist()),
        precision=band_of(1 - np.median(by_pair[:, best]), rows).name if possible[best] else None,
        tokens=longest,
        cuts=cuts,
    )


def band_of(distance: float, numbers: Exact | None = None) -> Band:
    """The band of 1 - cosine, the last one for all beyond; for whole `numbers` that of int8."""
    if numbers is not None and (numbers == numbers.round().clip(-128, 127)).all():
        return BANDS[3] if distance < 2e-3 else band_of(distance)  # a few numbers may be large
    return next((band for band in BANDS if distance < band.high), BANDS[-1])


def _checked(bert: Bert, vectors: Any, count: int) -> Exact:
    """The vectors as float64 (count, hidden_size)."""
    try:
        rows = np.asarray(vectors, np.float64)
    except (TypeError, ValueError):  # no numbers, or lists of different lengths
        rows = np.empty(0)
    if not 1 <= count <= MAX_PAIRS or rows.shape != (count, bert.hidden_size):
        wanted = f"Give 1 to {MAX_PAIRS} texts, and {bert.hidden_size} numbers for each"
        raise UserInputError(f"{wanted}; got {count} texts, and numbers of shape {rows.shape}.")
    largest = np.abs(rows).max(axis=1)
    for at in np.flatnonzero(~((largest > 1e-100) & (largest < 1e100))):  # so squares are, too
        raise UserInputError(f"Vector {at + 1} is all zeros, or has NaN or infinity; leave it out.")
    return rows


def _cut(text: TokenizedText, size: int) -> TokenizedText:
    """The first tokens of a text, and [CLS] and [SEP]: `size` in all."""
    left_out = [at for at, word in enumerate(text.word_ids) if word is not None]
    kept = np.delete(np.arange(len(text)), left_out[size - len(text) :])
    return text.only(kept.tolist()) if len(text) > size else text


def _made(encoder: Encoder, texts: list[TokenizedText], turn: Turn) -> tuple[list[str], Exact]:
    """The ways, and what each makes of each text: float64 (n, ways, hidden_size)."""
    mean, _, largest = BY_LAYER
    added = encoder.bert.tokenizer.encode("").tokens
    first, last = (added[0], added[-1]) if added else ("first token", "last token")
    without = f" without {' and '.join(added)}"
    end = encoder.bert.num_hidden_layers
    by_text: dict[int, dict[str, Any]] = {}
    for index, states in encoder.iter_texts(texts, turn=turn):
        inside = [at for at, word in enumerate(texts[index].word_ids) if word is not None]
        rows = encoder.bert.tables.word_embeddings[texts[index].input_ids]
        means, inner, table, inner_table = (
            vectors.sum(axis=-2, dtype=np.float64) / max(vectors.shape[-2], 1)  # of none: zeros
            for vectors in (states, states[:, inside], rows, rows[inside])
        )
        layered = {mean: means, mean + without: inner, first: states[:, 0], last: states[:, -1]}
        layered[largest] = states.max(axis=1)
        ways = {f"{way}, layer {n}": of[n] for way, of in layered.items() for n in range(end + 1)}
        ways[f"{mean}, layers {max(end - 3, 0)} to {end}"] = means[-4:].mean(axis=0)
        for start in (0, 1):
            ways[f"{mean}, layers {start} and {end}"] = means[[start, end]].mean(axis=0)
        if encoder.has_pooler:
            ways[POOLER] = encoder.pooler_output(states[-1:, 0])[0]
        by_text[index] = ways | {TABLE: table, TABLE + without: inner_table}
    return list(by_text[0]), np.array([[*by_text[at].values()] for at in range(len(texts))])

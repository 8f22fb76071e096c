"""Texts with their vectors as a visitor brings them: numbers in any notation, NPY, NPZ, JSON."""

import io
import json
import re
import zipfile
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.contextual.recipes import MAX_PAIRS
from bertviz_core.decoding import decoded_lines
from bertviz_core.errors import UserInputError
from bertviz_core.senses.vector_files import BEGINS, arrays_of, plain_array

MAX_TEXT = 10_000  # characters that are kept of a text: many times what a model reads
MAX_JSON, MAX_NUMBERS = 8_000_000, 40_000  # bytes: lists of Python take 24 times as many
# What texts and vectors are called in files and in answers of services; the likeliest first.
TEXTS = ("texts", "text", "sentences", "sentence", "documents", "document", "input", "content")
VECTORS = ("vectors", "vector", "embeddings", "embedding", "data", "values", "float")
HOW = "Write np.savez(file, texts=..., vectors=...)."
# What stands around printed numbers: array([np.float32(0.5)], dtype=float32, device='cuda:0').
_AFTER = r"(?:=(?:[\w.:']+|\([\d, ]+\))|(?<=array)\(\d+\))?"  # =float32, =(1, 384), or (384)
_WORD = re.compile(r"(?<![\w.])(?!(?:nan|inf)\b)[a-z_][\w.]*" + _AFTER, re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|(?:nan|inf)\b)", re.IGNORECASE)
Pairs = list[tuple[str | None, Any]]  # a text, or None, and the numbers of its vector


class TextVectors(NamedTuple):
    """The first texts that were brought, each with its vector."""

    texts: tuple[str, ...]
    vectors: Exact  # (pairs, hidden_size)
    total: int  # how many were brought


def text_vectors(content: bytes, text: str, bert: Bert) -> TextVectors:
    """Read a file, or what was pasted; a vector that comes without a text is that of `text`."""
    if content.startswith(b"\x93NUMPY"):  # as the one array of an NPZ file, and checked as that
        with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
            archive.writestr("vector.npy", content)
        content = file.getvalue()
    if content.startswith(BEGINS):
        pairs, total = _of_arrays(arrays_of(io.BytesIO(content)))
    elif len(content) > MAX_JSON:
        raise UserInputError(f"As JSON, up to {MAX_JSON / 1e6:.0f} MB are read. {HOW}")
    else:
        pairs = _written("\n".join(decoded_lines(content)[0]).strip().strip("'\""))
        total = len(pairs)
    texts, vectors = zip(*pairs[:MAX_PAIRS] or [(text, ())], strict=True)
    if None in texts and (total > 1 or not text.strip()):
        raise UserInputError(
            f"A vector comes without its text ({total:,} in all). Type the sentence of one vector "
            f"(in a terminal: --text); several need a text each. {HOW}"
        )
    for count in {*map(len, vectors)} - {bert.hidden_size}:
        raise UserInputError(
            f"Numbers found: {count:,}; a vector of {bert.name} has {bert.hidden_size:,}. Give "
            "one whole vector, [0.12, -0.34, ...], or choose the model that made it."
        )
    kept = tuple((text if own is None else own)[:MAX_TEXT] for own in texts)
    return TextVectors(kept, np.array(vectors, np.float64), total)


def _of_arrays(arrays: dict[str, Any]) -> tuple[Pairs, int]:
    """The first pairs of the one array of texts and the one of vectors, and how many there are."""
    texts = [one for one in arrays.values() if (one.dtype.kind, one.ndim) == ("U", 1)]
    numbers = [one for one in arrays.values() if one.dtype.kind in "fiu"]
    rows = [x for x in numbers if x.ndim == 2] or [x[None] for x in numbers if x.ndim == 1]
    if len(rows) != 1 or len(texts) > 1 or (texts and len(texts[0]) != len(rows[0])):
        listed = ", ".join(f"{name[:40]} {one.shape}" for name, one in list(arrays.items())[:9])
        raise UserInputError(f"Arrays: {listed}. Expected one of texts, one of vectors. {HOW}")
    first = rows[0][:MAX_PAIRS]
    own = plain_array(texts[0][:MAX_PAIRS], MAX_TEXT).tolist() if texts else [None] * len(first)
    return [*zip(own, first, strict=True)], len(rows[0])


def _written(text: str) -> Pairs:
    """The pairs of a text that is JSON, or the numbers of one vector in any other notation."""
    for lines in ([text], text.splitlines()):  # one value, or one a line
        with suppress(ValueError, RecursionError):
            return _of_json([json.loads(line, parse_int=float) for line in lines])
    if len(text) > MAX_NUMBERS:
        raise UserInputError(f"The file is not JSON, NPY or NPZ. {HOW}")
    if re.search(r"\d[\s,]*(\.\.\.|…)", text):
        raise UserInputError("Numbers are left out (...). Print all: print(vector.tolist()).")
    bare = _WORD.sub(" ", text.replace("\N{MINUS SIGN}", "-"))
    return [(None, [float(number) for number in _NUMBER.findall(bare)])]


def _of_json(value: Any) -> Pairs:
    """The pairs in a list or in the answer of a service; a ValueError for anything else."""
    if isinstance(value, str):  # as stores print a vector
        if not value.startswith("["):
            raise UserInputError('A vector is text (base64?): ask for encoding_format="float".')
        value = json.loads(value, parse_int=float)
    if isinstance(value, dict):
        texts, inside = (next((value[name] for name in names if name in value), None)
                         for names in (TEXTS, VECTORS))  # fmt: skip
        pairs = _of_json(inside)
        if texts is None:
            return pairs
        texts = texts if isinstance(texts, list) else [texts]
        if len(texts) != len(pairs) or not all(isinstance(text, str) for text in texts):
            raise UserInputError(f"Texts: {len(texts):,}; vectors: {len(pairs):,}. Expected pairs.")
        return [(text, vector) for text, (_, vector) in zip(texts, pairs, strict=True)]
    if not isinstance(value, list):
        raise ValueError
    if value and all(isinstance(one, float) for one in value):
        return [(None, value)]
    return [pair for one in value for pair in _of_json(one)]

"""Do same senses score higher? ROC-AUC by layer and pooling on a word-in-context file.

python -m benchmarks.sense_pairs FILE [--model NAME_OR_FOLDER] [--pooling mean]
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import report
from bertviz_core.bert import load_bert
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.words import pooled
from bertviz_core.encoder import POOLINGS, Pooling, load_encoder
from bertviz_core.errors import UserInputError
from bertviz_core.senses.scores import (
    INTERVAL,
    label_numbers,
    pair_auc,
    resample_counts,
    weighted_auc,
)
from bertviz_core.tokens import tokenize

if TYPE_CHECKING:
    from bertviz_core.encoder import Encoder

ROOT = Path(__file__).parent.parent
OWN = ROOT / "tests" / "data" / "word_pairs.jsonl"
Array = NDArray[np.float32]
AT_ONCE = 256  # pairs; their vectors at all layers are held together


@dataclass(frozen=True)
class SensePair:
    """One word in two sentences.

    Attributes:
        first: The first sentence and the word's span of characters.
        second: The second one.
        same: Whether a person judged that the word means the same in both.
    """

    first: MarkedText
    second: MarkedText
    same: bool


def read_sense_pairs(lines: Iterable[str]) -> list[SensePair]:
    """Read a word-in-context file.

    Args:
        lines: JSON objects with `sentence1`, `sentence2`, the spans of characters `start1`,
            `end1`, `start2`, `end2` (end exclusive), and `label`, true or "T" for the same sense.
            Blank lines are skipped, other keys are ignored.

    Returns:
        The pairs, in order.

    Raises:
        UserInputError: A line is no such object, or a span lies outside its sentence.

    References:
        Pilehvar & Camacho-Collados (2019), "WiC: the Word-in-Context Dataset for Evaluating
        Context-Sensitive Meaning Representations".
    """
    return [_read(line, number) for number, line in enumerate(lines, start=1) if line.strip()]


def pair_similarities(
    encoder: "Encoder", pairs: Sequence[SensePair], pooling: Pooling = "mean"
) -> Array:
    """Compare the word of the first sentence with that of the second, at every layer.

    Args:
        encoder: The model to run.
        pairs: n pairs; character spans decide which pieces belong to a word.
        pooling: How the pieces of a word become one vector.

    Returns:
        float32 (n, num_hidden_layers + 1), cosines in [-1, 1].

    Raises:
        UserInputError: A word leaves no token or lies beyond the tokens the model can take.
    """
    found = np.empty((len(pairs), encoder.bert.num_hidden_layers + 1), np.float32)
    for start in range(0, len(pairs), AT_ONCE):
        some = pairs[start : start + AT_ONCE]
        sentences = [sentence for pair in some for sentence in (pair.first, pair.second)]
        texts = [tokenize(encoder.bert, sentence.text) for sentence in sentences]
        words = [pieces_of(*both) for both in zip(sentences, texts, strict=True)]
        pieces = encoder.piece_vectors_many(texts, words)
        vectors = np.stack([pooled(states, pooling) for states in pieces]).astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
        found[start : start + len(some)] = np.einsum("plh,plh->pl", vectors[::2], vectors[1::2])
    return found


def auc_by_layer(similarities: Array, pairs: Sequence[SensePair]) -> tuple[Array, Array, Array]:
    """How well the cosine alone tells "same sense" from "different", at every layer.

    Pairs of one word are more alike than pairs of two, so words are drawn for the interval, each
    with all its pairs; of a file with a single word, pairs are drawn.

    Args:
        similarities: (n, layers), from `pair_similarities`.
        pairs: n judged pairs, at least one of each kind.

    Returns:
        float32 (layers,) each: the area under the ROC curve, which is the share of couples of one
        pair of each kind in which the "same" one has the higher cosine (0.5 is chance, 1 is
        perfect), and both ends of its 95% interval.

    Raises:
        UserInputError: All pairs are judged alike.

    References:
        `sklearn.metrics.roc_auc_score`; Efron (1979), "Bootstrap methods".
    """
    same = np.array([pair.same for pair in pairs])
    if len(set(same)) != 2:
        raise UserInputError("The file needs pairs of both kinds, same sense and different.")
    exact = similarities.astype(np.float64)
    words = label_numbers([pair.first.word.lower() for pair in pairs])
    drawn = words if words.max() else np.arange(len(pairs))
    times = resample_counts(int(drawn.max()) + 1).astype(np.float32)
    low, high = np.nanpercentile(weighted_auc(exact, same, times[drawn]), INTERVAL, axis=0)
    area = pair_auc(exact, same)
    return area.astype(np.float32), low.astype(np.float32), high.astype(np.float32)


def _read(line: str, number: int) -> SensePair:
    try:
        entry: dict[str, Any] = json.loads(line)
        label = entry["label"]
        first, second = (
            MarkedText(entry[f"sentence{i}"], entry[f"start{i}"], entry[f"end{i}"]) for i in (1, 2)
        )
        if label not in (True, False, "T", "F"):
            raise ValueError(f"label {label!r}")
        for sentence in (first, second):
            if not 0 <= sentence.start < sentence.end <= len(sentence.text):
                raise ValueError(f"span {sentence.start} to {sentence.end}")
    except (ValueError, KeyError, TypeError) as error:
        raise UserInputError(
            f"Line {number} is not a pair of sentences ({error}); expected JSON with sentence1, "
            "sentence2, start1, end1, start2, end2 and label."
        ) from error
    return SensePair(first, second, label in (True, "T"))


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.sense_pairs")
    parser.add_argument("file", nargs="?", type=Path, default=OWN, help="JSON lines")
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--pooling", choices=POOLINGS, help="one only; all if left out")
    given = parser.parse_args(arguments)
    pairs = read_sense_pairs(given.file.read_text(encoding="utf-8").splitlines())
    encoder = load_encoder(load_bert(given.model))
    report.heading(f"Word senses: {len(pairs)} judged pairs, {given.model}, {given.file.name}")
    for pooling in [given.pooling] if given.pooling else POOLINGS:
        areas = auc_by_layer(pair_similarities(encoder, pairs, pooling), pairs)
        for layer, (area, low, high) in enumerate(zip(*areas, strict=True)):
            name = f"ROC-AUC at layer {layer}, pooled by {pooling}"
            report.figure(name, float(area), "", spread=[float(low), float(high)])
    print("in brackets: the 95% interval over words")


if __name__ == "__main__":
    main()

"""Do same senses score higher? ROC-AUC by layer and pooling on a word-in-context file.

python -m benchmarks.sense_pairs FILE [--model NAME_OR_FOLDER] [--pooling mean]

A line of the file is JSON with `sentence1`, `sentence2`, the word's spans of characters `start1`,
`end1`, `start2`, `end2` (end exclusive), and `label`, true or "T" where a person judged that the
word means the same in both (Pilehvar & Camacho-Collados 2019, "WiC"). The area under the ROC curve
is the share of couples of one pair of each kind in which the "same" one has the higher cosine: 0.5
is chance. Its interval is that of a bootstrap over words, each with all its pairs, since pairs of
one word are more alike than pairs of two; of a file with a single word, pairs are drawn.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks import report
from benchmarks.app_server import EMBEDDED, ROOT
from bertviz_core.bert import load_bert
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.words import pooled
from bertviz_core.encoder import POOLINGS, Pooling, load_encoder
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

OWN = ROOT / "tests" / "data" / "word_pairs.jsonl"
Array = np.ndarray[Any, Any]
AT_ONCE = 256  # pairs; their vectors at all layers are held together


class SensePair(NamedTuple):
    """One word in two sentences, and whether it means the same in both."""

    first: MarkedText
    second: MarkedText
    same: bool


def read_sense_pairs(text: str) -> list[SensePair]:
    """The pairs of a word-in-context file, in order."""
    pairs = []
    for line in filter(str.strip, text.splitlines()):
        entry: dict[str, Any] = json.loads(line)
        first, second = (
            MarkedText(entry[f"sentence{i}"], entry[f"start{i}"], entry[f"end{i}"]) for i in (1, 2)
        )
        pairs.append(SensePair(first, second, entry["label"] in (True, "T")))
    return pairs


def pair_similarities(encoder: "Encoder", pairs: Sequence[SensePair], pooling: Pooling) -> Array:
    """Cosines of the word of the first sentence and of the second: (pairs, layers)."""
    found = []
    for start in range(0, len(pairs), AT_ONCE):
        some = pairs[start : start + AT_ONCE]
        sentences = [sentence for pair in some for sentence in (pair.first, pair.second)]
        texts = [tokenize(encoder.bert, sentence.text) for sentence in sentences]
        words = [pieces_of(*both) for both in zip(sentences, texts, strict=True)]
        pieces = encoder.piece_vectors_many(texts, words)
        vectors = np.stack([pooled(states, pooling) for states in pieces]).astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
        found.append(np.einsum("plh,plh->pl", vectors[::2], vectors[1::2]))
    return np.concatenate(found)


def auc_by_layer(similarities: Array, pairs: Sequence[SensePair]) -> tuple[Array, Array, Array]:
    """The area under the ROC curve at every layer, and both ends of its 95% interval."""
    same = np.array([pair.same for pair in pairs])
    words = label_numbers([pair.first.word.lower() for pair in pairs])
    drawn = words if words.max() else np.arange(len(pairs))
    times = resample_counts(int(drawn.max()) + 1).astype(np.float32)
    low, high = np.nanpercentile(weighted_auc(similarities, same, times[drawn]), INTERVAL, axis=0)
    return pair_auc(similarities, same), low, high


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.sense_pairs")
    parser.add_argument("file", nargs="?", type=Path, default=OWN, help="JSON lines")
    parser.add_argument("--model", default=EMBEDDED)
    parser.add_argument("--pooling", choices=POOLINGS, help="one only; all if left out")
    given = parser.parse_args(arguments)
    pairs = read_sense_pairs(given.file.read_text(encoding="utf-8"))
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

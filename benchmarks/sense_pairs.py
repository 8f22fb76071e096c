"""Do same senses score higher? ROC-AUC by layer and pooling on a word-in-context file.

python -m benchmarks.sense_pairs FILE [--model NAME_OR_FOLDER] [--pooling mean]

A line of the file is JSON with `sentence1`, `sentence2`, the word's spans of characters `start1`,
`end1`, `start2`, `end2` (end exclusive), and `label`, true or "T" where a person judged that the
word means the same in both (Pilehvar & Camacho-Collados 2019, "WiC"). The area under the ROC curve
is the chance that a pair judged the same has a higher cosine than a pair judged different: 0.5 is
chance.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import report
from benchmarks.app_server import EMBEDDED, ROOT
from bertviz_core.bert import load_bert
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.word_vectors import pooled
from bertviz_core.encoder import POOLINGS, Encoder, Pooling, load_encoder
from bertviz_core.senses.scores import pair_auc
from bertviz_core.tokens import tokenize

OWN = ROOT / "tests" / "data" / "word_pairs.jsonl"
Array = np.ndarray[Any, Any]
AT_ONCE = 512  # words; their vectors at all layers are held together


def pair_similarities(encoder: Encoder, words: list[MarkedText], pooling: Pooling) -> Array:
    """Cosines of each word and the next one, two by two: (pairs, layers)."""
    similarities = []
    for start in range(0, len(words), AT_ONCE):
        some = words[start : start + AT_ONCE]
        texts = [tokenize(encoder.bert, word.text) for word in some]
        pieces = [pieces_of(*both) for both in zip(some, texts, strict=True)]
        states = encoder.piece_vectors_many(texts, pieces)
        vectors = np.stack([pooled(each, pooling) for each in states]).astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
        similarities.append(np.einsum("plh,plh->pl", vectors[::2], vectors[1::2]))
    return np.concatenate(similarities)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.sense_pairs")
    parser.add_argument("file", nargs="?", type=Path, default=OWN, help="JSON lines")
    parser.add_argument("--model", default=EMBEDDED)
    parser.add_argument("--pooling", choices=POOLINGS, help="one only; all if left out")
    given = parser.parse_args()
    lines = filter(str.strip, given.file.read_text(encoding="utf-8").splitlines())
    pairs: list[dict[str, Any]] = [json.loads(line) for line in lines]
    same = np.array([pair["label"] in (True, "T") for pair in pairs])
    words = [
        MarkedText(pair[f"sentence{i}"], pair[f"start{i}"], pair[f"end{i}"])
        for pair in pairs for i in (1, 2)
    ]  # fmt: skip
    encoder = load_encoder(load_bert(given.model))
    report.heading(f"Word senses: {len(pairs)} judged pairs, {given.model}, {given.file.name}")
    for pooling in [given.pooling] if given.pooling else POOLINGS:
        cosines = pair_similarities(encoder, words, pooling)
        for layer, area in enumerate(pair_auc(cosines, same)):
            report.figure(f"ROC-AUC at layer {layer}, pooled by {pooling}", float(area), "")


if __name__ == "__main__":
    main()

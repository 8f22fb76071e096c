"""Figures of docs/methods.md that say how far a number can be trusted, on the embedded model."""

import pydoc_data.topics
import re
import time
from collections import defaultdict
from statistics import median

import numpy as np

from benchmarks import report
from bertviz_core.bert import load_bert
from bertviz_core.calibration import measure
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.contextual.occlusion import influence, occluded_contexts
from bertviz_core.contextual.words import word_in_context
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.senses import prepared_set, prepared_words

LAYERS = (3, 6)
AT = (0.1, 1, 5, 50, 95, 99, 99.9)
SENTENCES = 80


def main() -> None:
    """Print the figures."""
    encoder = load_encoder(load_bert(EMBEDDED))
    _percentiles(encoder)
    _masking_and_dropping(encoder)


def _percentiles(encoder: Encoder) -> None:
    """How far texts of another kind move the percentile of a cosine, over all layers."""
    texts = _of_the_manual()
    own, other = (measure(encoder, own).between() for own in (None, texts))
    assert own
    assert other
    report.heading(f"Percentiles of {len(texts)} sentences of Python's manual")
    for percent in AT:
        moved = [
            abs(own.percentile(cosine, layer) - percent)
            for layer, cosine in enumerate(other.exceeded(percent).tolist())
        ]
        report.figure(f"{percent}%: moved", median(moved), "", spread=moved)


def _of_the_manual() -> list[str]:
    """Plain sentences of the reference manual that comes with Python."""
    found = [
        sentence
        for topic in pydoc_data.topics.topics.values()
        for paragraph in re.split(r"\n\s*\n", topic)
        for sentence in re.findall(
            r"(?:(?<=^)|(?<=[.!?] ))[A-Z][A-Za-z ,;’'-]+[.!?](?= |$)", " ".join(paragraph.split())
        )
    ]
    return [text for text in dict.fromkeys(found) if 5 <= len(text.split()) <= 22]


def _masking_and_dropping(encoder: Encoder) -> None:
    """How often both name the same word; each word is compared with the label of its sense."""
    found = [one for name in prepared_words() for one in prepared_set(name).occurrences]
    drawn = np.random.default_rng(0).permutation(len(found))[:SENTENCES].tolist()
    report.heading(f"Masking and dropping in {SENTENCES} sentences of the prepared sets")
    same: dict[int, list[bool]] = defaultdict(list)
    signs: dict[int, list[bool]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for occurrence in (found[number] for number in drawn):
        start, end, text = occurrence.start, occurrence.end, occurrence.sentence
        word = word_in_context(encoder, f"{text[:start]}[{text[start:end]}]{text[end:]}")
        anchor = word_in_context(encoder, str(occurrence.sense))
        changes = []
        for way in ("mask", "drop"):
            begun = time.perf_counter()
            changes.append(influence(word, occluded_contexts(encoder, word, way), anchor))
            seconds[way] += time.perf_counter() - begun
        for layer in LAYERS:
            masked, dropped = (by_layer[layer] for by_layer in changes)
            same[layer].append(bool(np.abs(masked).argmax() == np.abs(dropped).argmax()))
            signs[layer] += (np.sign(masked) == np.sign(dropped)).tolist()
    for layer in LAYERS:
        report.figure(f"layer {layer}: the same word", float(np.mean(same[layer])), "")
        report.figure(f"layer {layer}: words of the same sign", float(np.mean(signs[layer])), "")
    for way, total in seconds.items():
        report.figure(f"a sentence, {way}", 1000 * total / SENTENCES, "ms")


if __name__ == "__main__":
    main()

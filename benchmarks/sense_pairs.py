"""Do same senses score higher? ROC-AUC by layer on a word-in-context file.

python -m benchmarks.sense_pairs FILE [--model NAME_OR_FOLDER] [--pooling mean]
"""

import argparse
from pathlib import Path

from benchmarks import report
from bertviz_core.bert import load_bert
from bertviz_core.contextual import POOLINGS
from bertviz_core.encoder import load_encoder
from bertviz_core.sense_pairs import auc_by_layer, pair_similarities, read_sense_pairs

ROOT = Path(__file__).parent.parent
OWN = ROOT / "tests" / "data" / "word_pairs.jsonl"


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.sense_pairs")
    parser.add_argument("file", nargs="?", type=Path, default=OWN, help="JSON lines")
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--pooling", choices=POOLINGS, default="mean")
    given = parser.parse_args(arguments)
    pairs = read_sense_pairs(given.file.read_text(encoding="utf-8").splitlines())
    encoder = load_encoder(load_bert(given.model))
    same = [pair.same for pair in pairs]
    report.heading(f"Word senses: {len(pairs)} judged pairs, {given.model}, {given.file.name}")
    areas = auc_by_layer(pair_similarities(encoder, pairs, given.pooling), same)
    for layer, area in enumerate(areas):
        report.figure(f"ROC-AUC at layer {layer}", float(area), "")


if __name__ == "__main__":
    main()

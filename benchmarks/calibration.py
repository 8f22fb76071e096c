"""Measuring the percentile scales of every layer of a model, and reading them from disk."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from huggingface_hub import constants

from benchmarks import base_shaped, report
from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import words
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.encoder import load_encoder

RUNS, READS = 3, 9


def main() -> None:
    """Print the figures; the encoder is loaded beforehand, as on the page."""
    report.heading("Calibration: cosines of pairs at every layer")
    with TemporaryDirectory() as scratch:
        constants.HF_HUB_CACHE = str(Path(scratch) / "hub")  # so that no real cache is touched
        _print(load_bert(EMBEDDED), most=None)
        _print(load_bert(base_shaped.made_in(Path(scratch) / base_shaped.NAME)), most=10.0)


def _print(bert: Bert, most: float | None) -> None:
    encoder = load_encoder(bert)
    scales = words.measure(encoder)
    times = _seconds(lambda: words.measure(encoder), RUNS)
    name = f"{bert.name}, {bert.num_hidden_layers + 1} layers x {bert.hidden_size}"
    if most is None:
        report.figure(name, median(times), "s", spread=times)
    else:
        report.target(name, median(times), "s", most=most, spread=times)
    words.keep(bert, scales)
    reads = _seconds(lambda: words.known(bert), READS)
    report.figure("  from disk", 1000 * median(reads), "ms", spread=[1000 * s for s in reads])


def _seconds(measure: Callable[[], object], runs: int) -> list[float]:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        measure()
        times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    main()

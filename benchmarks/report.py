"""Print measured figures beside their targets."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

import numpy as np

MISSED: list[str] = []  # names of the figures that missed their target
_DIGITS = {"s": 2, "ms": 2, "h": 2, "x": 2, "MFLOP": 1, "": 3}  # of others none


def heading(title: str) -> None:
    """Open a benchmark's output."""
    print(f"\n{title}\n{'-' * len(title)}", flush=True)


def figure(
    name: str, value: float, unit: str, *, most: float | None = None, least: float | None = None,
    spread: Sequence[float] = (),
) -> None:  # fmt: skip
    """Print a number beside its target, if it has one, and remember a miss.

    Its unit is "" for a share, "n" for a count. `spread` are all runs: the lowest and the highest
    are shown.
    """
    line = f"  {name:<58} {value:9.{_DIGITS.get(unit, 0)}f} {unit:<2}"
    if spread:
        digits = 0 if unit == "MB" else 2
        line += f" ({min(spread):.{digits}f} to {max(spread):.{digits}f})"
    if most is not None or least is not None:
        met = (most is None or value <= most) and (least is None or value >= least)
        MISSED.extend([] if met else [name])
        wanted = f"at most {most:g}" if most is not None else f"at least {least:g}"
        line += f"   target {wanted} {unit}: {'met' if met else 'missed'}"
    print(line, flush=True)


def end() -> None:
    """End the process with 1 where a target was missed."""
    if MISSED:
        raise SystemExit(f"missed: {', '.join(MISSED)}")


def in_turn(
    runs: Mapping[str, Callable[[], float]], rounds: int, unit: str = "s"
) -> dict[str, list[float]]:
    """What each run took, by its name; what else the machine does hits all alike.

    The order changes: threads of the one before may be awake. The first round only warms up.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name in random.Random(number).sample(list(runs), len(runs)):
            took = runs[name]()
            if number:
                times[name].append(took)
    for name, each in times.items():
        figure(name, median(each), unit, spread=each)
    return times


def timed(run: Callable[[], object]) -> Callable[[], float]:
    """The same run, which gives its seconds."""

    def seconds() -> float:
        begun = time.perf_counter()
        run()
        return time.perf_counter() - begun

    return seconds


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """Median of the ratios of runs taken side by side: noise that hits both cancels."""
    return median(a / b for a, b in zip(above, below, strict=True))


def p95(seconds: Sequence[float]) -> float:
    """The 95th percentile; infinite where nothing was seen."""
    return float(np.percentile(seconds, 95)) if seconds else float("inf")

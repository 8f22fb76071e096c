"""What a hall answered: bars of its choices, or a cloud of its marks."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bertviz_core.figures.axes import named, titled
from bertviz_core.figures.colors import MARK, MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, Trace, bars, draw, marks

HEIGHT = 300
SPREAD = 0.35  # of marks on one line, upwards


def choice_bars(
    options: Mapping[str, str], before: Counter[str], after: Counter[str] | None = None
) -> Figure:
    """How many phones chose each option, by their labels; `after` stands beside `before`."""
    rounds = {"before": (before, MUTED if after else TOKEN)}
    if after is not None:
        rounds["after"] = (after, TOKEN)
    traces = []
    for number, (name, (counted, color)) in enumerate(rounds.items()):
        counts = [counted[option] for option in options]
        total = max(sum(counts), 1)
        shown = [f"{count} ({count / total:.0%})" for count in counts]
        width, places = 0.8 / len(rounds), np.arange(len(options))
        trace = bars(np.array(counts), "%{y}", color, name=name, text=shown, cliponaxis=False)
        trace |= {"x": places + (number - (len(rounds) - 1) / 2) * width, "width": width * 0.9}
        traces.append(trace | {"textposition": "outside"})
    most = max(max(counted.values(), default=0) for counted, _ in rounds.values())
    return draw(
        traces,
        height=HEIGHT,
        legend=after is not None,
        xaxis=named(list(options.values())),
        yaxis=titled("phones", range=[0, 1.2 * max(most, 1)], dtick=max(math.ceil(most / 4), 1)),
    )


def cloud(
    answers: Mapping[str, int],
    axes: Sequence[str],
    *,
    after: Mapping[str, int] | None = None,
    truth: str = "",
) -> Figure:
    """One mark for each answer "0.42" or "0.42_0.30", and the truth as a star."""
    traces = [cloud_marks(answers, MUTED if after else TOKEN, name="before")]
    if after is not None:
        traces.append(cloud_marks(after, TOKEN, name="after"))
    if truth:
        x, y = _places([truth])
        star = {"symbol": "star", "size": 22, "color": MARK, "line": {"width": 1, "color": "#fff"}}
        traces.append(marks(x, y, star, "the truth", name="the truth"))
    upwards: Trace = {"visible": False, "range": [-1, 1]}
    if len(axes) > 1:
        upwards = titled(axes[1], range=[-0.02, 1.02])
    across = titled(axes[0], range=[-0.02, 1.02])
    return draw(traces, height=HEIGHT, legend=len(traces) > 1, xaxis=across, yaxis=upwards)


def cloud_marks(answers: Mapping[str, int], color: str, **more: Any) -> Trace:
    """The marks of a cloud: an answer given twice is two marks, which lie a little apart."""
    given = [answer for answer, count in sorted(answers.items()) for _ in range(count)]
    x, y = _places(given)
    look = {"size": 12, "color": faint(color, 0.45), "line": {"width": 1, "color": color}}
    return marks(x, y, look, **more)


def _places(given: Sequence[str]) -> tuple[list[float], list[float]]:
    """Where answers are marked; those of one number are spread upwards, always in the same way."""
    points = [[float(part) for part in answer.split("_")] for answer in given]
    if all(len(point) > 1 for point in points):
        return [point[0] for point in points], [point[1] for point in points]
    spread = np.random.default_rng(0).uniform(-SPREAD, SPREAD, len(points)).tolist()
    return [point[0] for point in points], spread if len(points) > 1 else [0.0] * len(points)


def first_choices(words: Sequence[str], answers: Mapping[str, int]) -> Counter[str]:
    """How many phones put each word first."""
    firsts: Counter[str] = Counter()
    for answer, count in answers.items():
        firsts[answer.split("_")[0]] += count
    return Counter({word: firsts[word] for word in words})

"""What a hall answered: bars of its choices, or a cloud of its marks."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from bertviz_core.figures.axes import named, named_rows, titled
from bertviz_core.figures.colors import MARK, MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, Trace, bars, draw, marks

HEIGHT = 300
SPREAD = 0.35  # of marks on one line


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
    words: Sequence[str] = (),
    *,
    after: Mapping[str, int] | None = None,
    truth: str = "",
) -> Figure:
    """One mark for each answer "0.42" or "0.42_0.30", and the truth as a star.

    An answer "pup_cat" is a mark for each of the `words`, at the place that it was given.
    """

    def cloud_of(given: Mapping[str, int], name: str, look: Trace) -> Trace:
        every = [answer.split("_") for answer, count in sorted(given.items()) for _ in range(count)]
        x, y = _of_order(every, words) if words else _of_point(every)
        line = {"width": 1, "color": look["line"]}
        return marks(x, y, {"size": 12, **look, "line": line}, name, name=name)

    rounds = {"before": answers} | ({} if after is None else {"after": after})
    traces = []
    for name, given in rounds.items():
        color = MUTED if after and name == "before" else TOKEN
        traces.append(cloud_of(given, name, {"color": faint(color, 0.45), "line": color}))
    if truth:
        star = {"symbol": "star", "size": 22, "color": MARK, "line": "#fff"}
        traces.append(cloud_of({truth: 1}, "the truth", star))
    upwards: Trace = {"visible": False, "range": [-1, 1]}
    if words:
        across = titled("place", range=[0.5, len(words) + 0.5], dtick=1)
        upwards = named_rows(words)
    else:
        across = titled(axes[0], range=[-0.02, 1.02])
    if len(axes) > 1:
        upwards = titled(axes[1], range=[-0.02, 1.02])
    return draw(traces, height=HEIGHT, legend=len(traces) > 1, xaxis=across, yaxis=upwards)


def _of_point(given: Sequence[Sequence[str]]) -> tuple[list[float], list[float]]:
    """Where answers are marked; those of one number are spread upwards, always in the same way."""
    points = [[float(part) for part in answer] for answer in given]
    if all(len(point) > 1 for point in points):
        return [point[0] for point in points], [point[1] for point in points]
    return [point[0] for point in points], _spread(len(points))


def _of_order(
    given: Sequence[Sequence[str]], words: Sequence[str]
) -> tuple[list[float], list[float]]:
    """The place that each answer gave to each word, and the row of the word."""
    spread = _spread(len(given))
    put = [
        (place + across, words.index(word) + upwards)
        for answer, across, upwards in zip(given, spread, spread[::-1], strict=True)
        for place, word in enumerate(answer, start=1)
        if word in words  # another model, chosen on the way, may have others
    ]
    return [x for x, _ in put], [y for _, y in put]


def _spread(count: int) -> list[float]:
    """So that equal answers do not hide each other; one alone stays where it is."""
    apart: list[float] = np.random.default_rng(0).uniform(-SPREAD, SPREAD, count).tolist()
    return apart if count > 1 else [0.0] * count

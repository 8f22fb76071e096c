"""What a hall answered, as bars."""

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from bertviz_core.figures.axes import named, titled
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw

HEIGHT = 220  # more would hide the view below the bar of the tour
# Numbers from 0 to 1, in hundredths, by the first that a bar holds.
TENS = {f"{ten}": f"{ten} to {ten + 9 + (ten == 90)}" for ten in range(0, 100, 10)}


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
        legend=after is not None and {"y": 1, "yanchor": "bottom"},
        xaxis=named(list(options.values())),
        yaxis=titled("phones", range=[0, 1.2 * max(most, 1)], dtick=max(math.ceil(most / 4), 1)),
    )


def by_tens(answers: Counter[str]) -> Counter[str]:
    """Numbers from "0.00" to "1.00", counted by the bar of `TENS` that holds them."""
    counted = Counter[str]()
    for answer, count in answers.items():
        counted[f"{min(round(100 * float(answer)) // 10, 9) * 10}"] += count
    return counted

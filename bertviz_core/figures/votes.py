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
    rounds = {"before": (before, TOKEN if after is None else MUTED)}
    if after is not None:
        rounds["after"] = (after, TOKEN)
    traces, highest = [], 1
    for name, (counted, color) in rounds.items():
        counts = np.array([counted[option] for option in options])
        highest, total = max(highest, counts.max()), max(counts.sum(), 1)
        labels = [f"{count} ({count / total:.0%})" for count in counts]
        trace = bars(counts, "%{y}", color, name=name, text=labels, cliponaxis=False)
        traces.append(trace | {"textposition": "outside"})
    return draw(
        traces,
        height=HEIGHT,
        barmode="group",
        legend=after is not None and {"y": 1, "yanchor": "bottom"},
        xaxis=named(list(options.values())),
        yaxis=titled("phones", range=[0, 1.2 * highest], dtick=math.ceil(highest / 4)),
    )


def by_tens(answers: Counter[str]) -> Counter[str]:
    """Numbers from "0.00" to "1.00", counted by the bar of `TENS` that holds them."""
    counted = Counter[str]()
    for answer, count in answers.items():
        counted[f"{min(round(100 * float(answer)) // 10, 9) * 10}"] += count
    return counted

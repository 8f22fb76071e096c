"""Which vector of a sentence agrees best with people: rank correlations with judged pairs."""

import numpy as np

from bertviz_core.calibration.percentiles import column
from bertviz_core.calibration.sentences import Agreement, agreements, judged_pairs
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual.sentence_vectors import BY_LAYER, POOLER, WAYS, at_layer
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import layers, titled
from bertviz_core.figures.colors import SENTENCES, faint
from bertviz_core.figures.drawing import Figure, band, draw, line, vertical_line
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, picture, program, say, table
from bertviz_core.views.sentence_vectors.matrix import (
    PAGE,
    described,
    percentiles_of,
    scales_for,
    ways_of,
)
from bertviz_core.views.sentences import joined, rounded
from bertviz_core.views.view import Part, View


@once
def _agreements(encoder: Encoder) -> dict[str, Agreement]:
    return agreements(encoder)


@view("which way is best?", page=PAGE, rank=10, doing="Comparing the judged pairs …")
def best_way(encoder: Encoder, way: str, layer: int) -> View:
    """How well the cosines of each way order judged pairs of sentences, by layer."""
    bert, found = encoder.bert, _agreements(encoder)
    layer = min(layer, bert.num_hidden_layers)
    rows = [
        (name, at if len(one.correlation) > 1 else None, *numbers)
        for name, one in found.items()
        for at, numbers in enumerate(zip(one.correlation, *one.interval, strict=True))
    ]
    names, at_layers, *numbers = zip(*rows, strict=True)
    scores, first, second = judged_pairs()
    chosen = found[way].cosines[at_layer(found[way].cosines, layer)]
    pairs = {"our score": scores, "first": first, "second": second, f"cosine, {way}": chosen}
    scales = scales_for(encoder, way, layer, zip(first, second, strict=True))
    if any(scales):
        pairs["percentile"] = column(percentiles_of(scales, chosen, layer))
    return View(
        _finding(found),
        picture(
            _curves(found, layer, bert.num_hidden_layers),
            alt=f"Rank correlation with {len(scores)} judged pairs by layer: "
            + "; ".join(f"{name} at most {found[name].correlation.max():.2f}" for name in found),
            name="ways",
        ),
        caption(
            "The model on the screen is {model}. {upper}",
            model=bert.name,
            upper=origin_of(bert.checkpoint).upper,
        ),
        table(
            {"way": names, "layer": at_layers}
            | dict(zip(("rank correlation", "from", "to"), numbers, strict=True)),
            name="ways",
            fold="Table",
        ),
        table(pairs, name="judged-pairs", fold="The pairs that we judged"),
        program(
            "sentence_vectors/ways",
            bert,
            pairs=[list(pair) for pair in zip(scores.tolist(), first, second, strict=True)],
            ways=list(ways_of(bert)),
        ),
        made={"way": way, "layer": layer},
    )


def _finding(found: dict[str, Agreement]) -> Part:
    """The best way and layer, and those that these pairs cannot tell from it."""
    peaks = {name: int(one.correlation.argmax()) for name, one in found.items()}
    best = max(peaks, key=lambda name: float(found[name].correlation[peaks[name]]))
    own, at = found[best], peaks[best]
    alike = [
        name
        for name, peak in peaks.items()
        if name != best and np.percentile(own.drawn[at] - found[name].drawn[peak], 2.5) <= 0
    ]
    low, high = own.interval[:, at]
    others = {name: one.correlation[peaks[name]] for name, one in found.items() if name != best}
    values = {
        "pairs": own.cosines.shape[1],
        "way": described(best, at),
        "correlation": rounded(own.correlation[at]),
        "low": rounded(low),
        "high": rounded(high),
        "others": joined(f"{name} {rounded(value)}" for name, value in others.items()),
        "alike": joined(alike),
    }
    template = (
        "On the {pairs} pairs that we judged, <b>{way}</b> agrees best with us: rank correlation "
        "<b>{correlation}</b> ({low} to {high}). The others at their best layers: {others}. "
        if low > 0
        else "We judged {pairs} pairs of sentences. No way agrees with us beyond chance. The "
        "highest is <b>{way}</b>: rank correlation <b>{correlation}</b> ({low} to {high}). "
    )
    if low > 0 and alike:
        template += "So few pairs cannot tell {alike} from the best."
    template += " Other pairs give another order."
    return say(template, method="rank-correlation-with-judged-pairs", **values)


def _curves(found: dict[str, Agreement], layer: int, last: int) -> Figure:
    """A line a way over the layers; a way without layers is level, the pooler a single point."""
    best = max(BY_LAYER, key=lambda name: float(found[name].correlation.max()))
    numbers = np.arange(last + 1)
    hover = "layer %{x}<br>rank correlation %{y:.3f}"
    color = faint(SENTENCES[WAYS.index(best)], 0.15)
    low, high = found[best].interval
    traces = [band(numbers, low, high, f"95% interval of {best}", color)]
    for name, one in found.items():
        at, values, look = numbers, one.correlation, {}
        if name == POOLER:
            color = SENTENCES[WAYS.index(name)]
            at, look = numbers[-1:], {"marker": {"color": color, "size": 13, "symbol": "diamond"}}
        elif len(values) == 1:
            values = np.repeat(values, last + 1)
        traces.append(line(at, values, name, hover, WAYS.index(name), **look))
    return draw(
        traces,
        height=400,
        legend={"y": -0.27},
        shapes=[vertical_line(layer)],
        xaxis=layers(range=[-0.2, last + 0.2]),
        yaxis=titled("rank correlation", tickformat=".1f", zeroline=True),
    )

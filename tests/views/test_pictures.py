"""Every picture of every view is valid Plotly, with what a visitor typed as text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest

from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.encoder import Encoder
from bertviz_core.figures.drawing import Figure
from bertviz_core.shared.models import models
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import Section, all_sections
from bertviz_core.views.nearest_neighbors.nearest_rows import Search
from tests.headless import unpacked
from tests.views.test_programs import given

HOLE = "%{zq}"  # which a template of Plotly's puts a value in place of
MARKUP = f"{HOLE}<img src=x> & <b>"
TYPED: dict[str, Any] = {
    "typed": InputText(f"I love my <b>pet {MARKUP}", MARKUP),
    "search": Search((MARKUP, "<", "king - man")),
    "sentence": f"I love my {MARKUP}",
    "follow": f"{HOLE}<b>&",
    "lines": [f"I [love] {MARKUP}", "<b>"],
    "uses": ((f"I [love] {MARKUP}", f"my <b>[{HOLE}<i>]"), ("a <b>", "&")),
}
UNDERSCORED = {"error_y", "paper_bgcolor", "plot_bgcolor"}  # of plotly.js' own names
NOT_OURS = re.compile(r"<(?!/?(b|br|i|extra)>|/?span\b)|&(?!#?\w+;)")


def shorthands(values: Any) -> set[str]:
    """Names such as `marker_color`, which Plotly reads in Python and a browser does not."""
    if isinstance(values, dict):
        own = {name for name in values if "_" in name} - UNDERSCORED
        return own.union(*(shorthands(part) for part in values.values()))
    if isinstance(values, list | tuple):
        return set().union(*(shorthands(part) for part in values))
    return set()


def texts(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict | list | tuple):
        for one in part.values() if isinstance(part, dict) else part:
            yield from texts(one)


def templates(part: Any) -> Iterator[str]:
    """All in which Plotly puts values in place."""
    for one in part.items() if isinstance(part, dict) else enumerate(part):
        if "template" in str(one[0]):
            yield from texts(one[1])
        elif isinstance(one[1], dict | list | tuple):
            yield from templates(one[1])


def check(figure: Figure) -> None:
    """What `draw` leaves out: Plotly's own check; and the numbers are those Plotly would send."""
    sent = unpacked(figure.to_dict())
    spec = go.Figure.to_dict(figure)
    assert not shorthands(spec)
    go.Figure(spec)
    for frame in figure.played:
        go.Frame(frame)
    for ours, plotlys in zip(sent["data"], unpacked(spec)["data"], strict=True):
        # As text: NaN is not equal to itself.
        assert repr(sorted(ours.items())) == repr(sorted(plotlys.items()))
    assert [one.type for one in figure.data] == [one["type"] for one in sent["data"]]
    assert not {text for text in texts(sent) if NOT_OURS.search(text)}
    assert not {text for text in templates(sent) if "zq" in text}


@pytest.mark.parametrize("section", all_sections(), ids=lambda section: section.make.__name__)
def test_pictures(
    section: Section,
    minilm_encoder: Encoder,
    tiny_encoder: Encoder,
    nearest_of_others: NearestScores,
) -> None:
    models.add(tiny_encoder.bert)
    made = given(section, minilm_encoder, others=nearest_of_others, **TYPED)
    if "mapped" in made:
        names = (f"{MARKUP} 1", f"{MARKUP} 2") * len(made["mapped"].occurrences)
        colours = names[: len(made["mapped"].occurrences)]
        made["mapped"] = replace(made["mapped"], colours=colours, identity=("markup",))
    for picture in section.make(**made).pictures.values():
        check(picture.figure)
        assert len(picture.alt) > 40

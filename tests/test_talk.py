"""docs/talk.md says the numbers of the model at each stop."""

import re

from bertviz_core.encoder import Encoder
from bertviz_core.ui.tour.stops import STOPS
from tests.headless import ROOT


def test_the_numbers_of_the_talk(minilm_encoder: Encoder) -> None:
    talk = (ROOT / "docs" / "talk.md").read_text(encoding="utf-8")
    parts = re.findall(r"stop (\d+): (.+)\n((?:\n?- .+\n)+)", talk)
    for number, claim, lines in parts:
        stop = STOPS[int(number) - 1]
        assert stop.claim == claim
        given = minilm_encoder.bert if stop.fact.needs == "tables" else minilm_encoder
        known = stop.fact.condition(given).numbers.values()
        ways = ("{}", "{:.0%}", "{:.2f}", "{:.3f}", "{:,}")
        written = {
            way.format(one) for one in known for way in ways[: 1 if isinstance(one, str) else 5]
        }
        assert set(re.findall(r"\*\*(.+?)\*\*", lines)) <= written
    assert len(parts) == 6

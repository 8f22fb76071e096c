"""docs/talk.md is held to the code: its stops, its buttons, its numbers."""

import re

from bertviz_core.encoder import Encoder
from bertviz_core.ui.tour.stops import STOPS
from tests.headless import ROOT

TALK = (ROOT / "docs" / "talk.md").read_text(encoding="utf-8")
# What is said at a stop, by the names in its verdict.
SAID = {
    2: ("{pieces}", "{longest}"),
    1: ("{of_position:.0%}", "{of_token:.0%}"),
    7: ("{dog}", "{left}", "{monday}"),
    9: ("{first:.3f}", "{second}"),
    8: ("{pet_snake:.2f}", "{pet_programming:.2f}", "{language_snake:.2f}",
        "{language_programming:.2f}", "{first}", "{layers}"),
    12: ("{still:,}", "{all:,}"),
}  # fmt: skip


def test_its_stops_are_those_of_the_tour_with_the_numbers_of_the_model(
    minilm_encoder: Encoder,
) -> None:
    parts = re.findall(r"### Minute (\d+), stop (\d+): (.+)\n((?:\n?- .+\n)+)", TALK)
    minutes = [int(minute) for minute, *_ in parts]
    assert minutes == sorted(minutes)
    assert minutes[-1] < 20
    assert [int(number) for _, number, *_ in parts] == list(SAID)
    for _, number, claim, lines in parts:
        stop = STOPS[int(number) - 1]
        assert stop.claim == claim
        given = minilm_encoder.bert if stop.settled.needs == "tables" else minilm_encoder
        numbers = stop.settled.condition(given).numbers
        wanted = [template.format(**numbers) for template in SAID[int(number)]]
        assert re.findall(r"\*\*(.+?)\*\*", lines) == wanted


def test_its_buttons_are_on_the_pages() -> None:
    pressed = set(re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", TALK)) - {"italics", "Network URL"}
    ui = (ROOT / "bertviz_core" / "ui").rglob("*.py")
    pages = "".join(path.read_text(encoding="utf-8") for path in ui)
    assert {"Open a hall", "Ask again", "Close the hall"} < pressed
    assert [name for name in sorted(pressed) if f'"{name}"' not in pages] == []

"""The way of a typed sentence to a heatmap is as CONTRIBUTING.md lists it, and stays short."""

import re
import sys
from pathlib import Path
from types import FrameType

from bertviz_core.bert import Bert
from bertviz_core.tokens import InputText
from bertviz_core.views.input_embeddings.sum_of_parts import sum_of_parts

ROOT = Path(__file__).parents[1]
MOST = 60  # functions
# Other parts of the same view: its finding, its sentences, table and program.
ASIDE = {"_mostly", "part_shares", "chips", "_key", "_rest", "table", "program"}
ROW = re.compile(r"^\| `([\w/]+\.py)` \| (.+) \|$", re.MULTILINE)


def listed() -> set[tuple[str, str]]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (part,) = re.findall(r"(?ms)^## From a typed sentence to a heatmap\n(.*?)(?=^## )", text)
    return {(file, name) for file, row in ROW.findall(part) for name in re.findall(r"`(.+?)`", row)}


def test_the_way_of_a_sentence(minilm: Bert) -> None:
    core = f"{ROOT / 'bertviz_core'}/"
    passed: set[tuple[str, str]] = set()
    aside: list[FrameType] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(core) or code.co_name.startswith("<"):
            return
        if event == "return" and aside and aside[-1] is frame:
            aside.pop()
        if event != "call" or aside:
            return
        if code.co_name in ASIDE:
            aside.append(frame)
        elif not isinstance(getattr(Bert, code.co_name, None), property):
            passed.add((code.co_filename.removeprefix(core), code.co_name))

    sys.setprofile(watch)
    try:
        view = sum_of_parts(minilm, InputText("the dog ran"))
        sys.setprofile(None)
        figure = view.pictures["input-embeddings"].figure
        sys.setprofile(watch)
        figure.restyle(dark=False, large=False).to_dict()
    finally:
        sys.setprofile(None)
    ways = listed()
    assert {way for way in ways if not way[0].startswith("ui/")} == passed
    for file, name in ways - passed:
        assert re.search(rf"^ *def {name}\(", (ROOT / "bertviz_core" / file).read_text(), re.M)
    assert len(ways) <= MOST

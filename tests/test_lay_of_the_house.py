"""The way of a typed sentence to a heatmap is as CONTRIBUTING.md lists it, and stays short."""

import re
from pathlib import Path

import pytest

from benchmarks.calls import CHANGES, traced

ROW = re.compile(r"^\| `([\w/]+\.py)` \| (.+?) \|", re.MULTILINE)


def listed() -> set[tuple[str, str]]:
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (part,) = re.findall(r"(?ms)^## From a typed sentence to a heatmap\n(.*?)(?=^## )", text)
    return {(file, name) for file, row in ROW.findall(part) for name in re.findall(r"`(.+?)`", row)}


@pytest.mark.usefixtures("fresh_caches")
def test_the_way_of_a_sentence() -> None:
    change = next(one for one in CHANGES if "Input_Embeddings" in one.page)
    assert change.functions
    whole, _ = traced(change)
    passed = {
        (file.removeprefix("bertviz_core/"), name.rpartition(".")[2]) for file, _, name in whole
    }
    assert passed == listed()
    assert len(whole) <= change.functions

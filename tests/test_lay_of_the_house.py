"""The ways through the code are as CONTRIBUTING.md lists them; that to a heatmap stays short."""

import re
from pathlib import Path

import pytest

from benchmarks.calls import CHANGES, traced

ROW = re.compile(r"^\| `([\w/]+\.py)` \| (.+?) \|", re.MULTILINE)


FILE = re.compile(r"`([\w/]+\.py)`")


def part(title: str) -> str:
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"(?ms)^## {title}\n(.*?)(?=^## )", text)
    return str(found)


HEATMAP = part("From a typed sentence to a heatmap")


def walked(page: str) -> set[tuple[str, str]]:
    """Files and functions of a change of the page's sentence."""
    change = next(one for one in CHANGES if page in one.page)
    whole, _ = traced(change)
    if page == "Input_Embeddings":
        assert change.functions
        assert len(whole) <= change.functions
    return {
        (file.removeprefix("bertviz_core/"), name.rpartition(".")[2]) for file, _, name in whole
    }


@pytest.mark.usefixtures("fresh_caches")
def test_the_way_of_a_sentence() -> None:
    rows = ROW.findall(HEATMAP)
    listed = {(file, name) for file, row in rows for name in re.findall(r"`(.+?)`", row)}
    assert walked("Input_Embeddings") == listed


@pytest.mark.usefixtures("fresh_caches")
def test_the_way_of_two_sentences() -> None:
    rows = "\n".join(
        row for row in part("From two sentences to the plane").splitlines() if "|" in row
    )
    own, shared = set(FILE.findall(rows)), {file for file, _ in ROW.findall(HEATMAP)}
    assert {file for file, _ in walked("Word_in_Context")} - shared == own

"""The tables of docs/elsewhere.md are those of `benchmarks.elsewhere`, which no test runs."""

import re
from importlib import import_module

import pytest

from tests.headless import ROOT


@pytest.mark.parametrize("name", ["ids", "vectors", "cuts"])
def test_a_table_has_a_line_for_each_software(name: str) -> None:
    text = (ROOT / "docs" / "elsewhere.md").read_text(encoding="utf-8")
    section = text.partition(f"### {name.capitalize()}\n")[2].partition("\n#")[0]
    first = re.findall(r"(?m)^\| (.+?) \|", section)
    wanted = [one.name for one in import_module(f"benchmarks.elsewhere.{name}").SOFTWARE]
    assert [line for line in first if line in wanted] == wanted
    assert {*first} - {*wanted} <= {"software", "---", "this project"}

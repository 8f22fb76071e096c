"""A program as a notebook: what the view says, the program in cells, the picture.

The file is written here: it is a JSON object of four keys, and the library for it brings six others
along. Tests hold it to that library's schema.
"""

import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bertviz_core.showable import showable

_PACKAGES = {"sklearn": "scikit-learn"}  # where an import has another name than what is installed
_SIGNS = re.compile(r"[^\w\s,]|_")
_IMPORTS = re.compile(r'(""".*?"""\n)?((import|from) [^\n]*\n|\n)*', re.DOTALL)
DRAW = """\
import plotly.graph_objects as go

for name, picture in pictures.items():
    go.Figure(picture).show(config={"showSendToCloud": False, "plotlyServerURL": ""})"""


def as_notebook(
    program: str,
    *,
    question: str,  # of its page, our own text
    page: str,
    findings: Sequence[str],  # Markdown; what is not ours in it went through `literal`
    address: str,
    facts: Mapping[str, str],  # the model, its revision, versions
    alts: Mapping[str, str],  # what each picture shows, by its name
    pictures: Mapping[str, Mapping[str, Any]],  # as plain values, by name
) -> bytes:
    """Write a notebook of format 4.5 that runs from top to bottom; equal for equal views."""
    rows = "\n".join(f"| {literal(name)} | {literal(value)} |" for name, value in facts.items())
    # Without a sign that would end a link in Markdown.
    link = re.sub(r"[^\w:/?&=%.+~-]", lambda sign: f"%{ord(sign.group()):02X}", address)
    heading = "\n\n".join([f"# {question}", *findings, f"[This view]({link}) of the page {page}"])
    imports, values, rest = _cut(program)
    cells = [
        ("markdown", f"{heading}\n\n| | |\n| --- | --- |\n{rows}"),
        ("code", _install(program, bool(pictures))),
        ("markdown", "## The numbers\n\nThe program prints the numbers of the view. Change the "
         "values in its second cell, and run all cells."),
        *(("code", part) for part in (imports, values, rest) if part),
    ]  # fmt: skip
    if pictures:
        listed = "\n".join(f"- {literal(name)}: {literal(alt)}" for name, alt in alts.items())
        cells += [
            ("markdown", "## The picture\n\nThe page drew it: the next cell holds its data, "
             f"which do not follow a change of the program above.\n\n{listed}"),
            ("data", f"import json\n\npictures = json.loads({json.dumps(pictures)!r})"),
            ("code", DRAW),
        ]  # fmt: skip
    book = {
        "cells": [_cell(kind, source, number) for number, (kind, source) in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "title": f"{page}: {question}",
            "bertviz": dict(facts) | {"address": address},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(book, indent=1) + "\n").encode()


def literal(text: str) -> str:
    """Any text for a notebook: signs of HTML, Markdown and formulas become entities."""
    line = showable(" ".join(text.split()), from_right=True)
    return _SIGNS.sub(lambda sign: f"&#{ord(sign.group())};", line)


def versions(names: Sequence[str]) -> dict[str, str]:
    """The installed versions of some packages; one that is not installed is left out."""
    installed = {}
    for name in names:
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    return installed


def packages_of(program: str) -> list[str]:
    """The packages that a program needs beside Python, by the names they are installed by."""
    modules = set(re.findall(r"^(?:import|from) (\w+)", _cut(program)[0], re.MULTILINE))
    embedded = re.findall(r'distribution\("(\w+)"\)', program)  # the package of a model
    outside = modules - sys.stdlib_module_names
    if "BertModel" in program:
        outside.add("torch")
    return sorted({_PACKAGES.get(module, module) for module in outside} | set(embedded))


def _install(program: str, pictures: bool) -> str:
    names = [*packages_of(program), *(["plotly"] if pictures else []), "nbformat"]
    installed = versions(names).items()  # "2.13.0+cpu" is a build, which other places do not have
    wanted = " ".join(f"{name}=={number.partition('+')[0]}" for name, number in installed)
    return f"# To run it elsewhere, with the versions it was made with:\n# %pip install {wanted}"


def _cut(program: str) -> tuple[str, str, str]:
    """A program in three parts: its imports, the values that a page put in, the rest."""
    imports = _IMPORTS.match(program)
    assert imports is not None  # it may be empty
    values, _, rest = program[imports.end() :].partition("\n\n")
    return imports.group().strip("\n"), values, rest.strip("\n")


def _cell(kind: str, source: str, number: int) -> dict[str, Any]:
    name = hashlib.sha256(f"{number} {source}".encode()).hexdigest()[:8]
    cell = {"id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    if kind == "markdown":
        return {"cell_type": "markdown", **cell}
    if kind == "data":  # a line of a megabyte is folded away
        cell["metadata"] = {"jupyter": {"source_hidden": True}}
    return {"cell_type": "code", **cell, "execution_count": None, "outputs": []}

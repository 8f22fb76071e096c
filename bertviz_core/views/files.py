"""What is shown of a view up to its program, as files to take home: a notebook, and arrays.

The notebook is written here: it is a JSON object of four keys, and the library for it brings six
others along. Tests hold it to that library's schema.
"""

import hashlib
import json
import platform
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import bertviz_core
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import WHERE_FROM
from bertviz_core.figures.colors import TEMPLATES
from bertviz_core.saved_files import Made, as_npz
from bertviz_core.showable import filled, showable
from bertviz_core.views.parts import Overlay, Part, Picture, Program, Sentence, Table

APP = "bert-embedding-explorer"
ALWAYS = ("torch", "transformers", "tokenizers", "numpy", "plotly", "streamlit")
# Of plotly.js: without Plotly's mark and its button that uploads the figure to another host.
NO_UPLOAD = {"displaylogo": False, "showSendToCloud": False, "plotlyServerURL": ""}
_PACKAGES = {"sklearn": "scikit-learn"}  # where an import has another name than what is installed
_SIGNS = re.compile(r"[^\w\s,]|_")
_IMPORTS = re.compile(r'(""".*?"""\n)?((import|from) [^\n]*\n|\n)*', re.DOTALL)
DRAW = """\
import plotly.graph_objects as go

for name, picture in pictures.items():
    go.Figure(picture).show(config={"showSendToCloud": False, "plotlyServerURL": ""})"""


@dataclass(frozen=True, eq=False)
class ViewFiles:
    """The parts of a view up to a program, which makes files of them."""

    page: str  # title of its page
    question: str  # heading of its page
    address: str  # of the view on it, as a whole
    parts: Sequence[Part]  # its sentences, pictures and tables
    program: Program  # what prints its numbers
    made: Made  # how it was made: {"layer": 5}

    @property
    def model(self) -> str:
        """The model that made the numbers: that of an opened file, or the one in use."""
        return str(self.made.get("vectors of", self.program.bert.name))

    def of(self, kind: type) -> list[Any]:
        return [part for part in self.parts if isinstance(part, kind)]

    def notebook(self) -> bytes:
        """A notebook of format 4.5 that runs from top to bottom; equal for equal views."""
        cells = [
            ("markdown", self._heading()),
            ("code", self._install()),
            ("markdown", "## The numbers\n\nThe program prints the numbers of the view. Change the "
             "values in its second cell, and run all cells."),
            *(("code", part) for part in _cut(self.program.text) if part),
            *self._pictures(),
        ]  # fmt: skip
        book = {
            "cells": [_cell(kind, source, number) for number, (kind, source) in enumerate(cells)],
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
                "title": f"{self.page}: {self.question}",
                "bertviz": self._facts() | {"address": self.address},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        return (json.dumps(book, indent=1) + "\n").encode()

    def _heading(self) -> str:
        """The question of the page, what the view says, its address, and how it was made."""
        findings = [
            filled(one.template, one.values, lambda text, _: literal(text))
            for one in self.of(Sentence)
            if one.kind == "finding"
        ]
        # Without a sign that would end a link in Markdown.
        link = re.sub(r"[^\w:/?&=%.+~-]", lambda sign: f"%{ord(sign.group()):02X}", self.address)
        rows = [f"| {literal(name)} | {literal(value)} |" for name, value in self._facts().items()]
        return "\n\n".join([
            f"# {self.question}",
            *findings,
            f"[This view]({link}) of the page {self.page}",
            "\n".join(["| | |", "| --- | --- |", *rows]),
        ])  # fmt: skip

    def _install(self) -> str:
        """A comment with the line that installs the same versions elsewhere."""
        drawn = ["plotly"] if self.of(Picture) else []
        installed = versions([*packages_of(self.program.text), *drawn, "nbformat"])
        # "2.13.0+cpu" is a build, which other places do not have.
        wanted = " ".join(f"{name}=={text.partition('+')[0]}" for name, text in installed.items())
        return (
            f"# To run it elsewhere, with the versions it was made with:\n# %pip install {wanted}"
        )

    def _pictures(self) -> list[tuple[str, str]]:
        """Cells with the pictures as they were drawn; none for a view without."""
        pictures = {one.name: as_plain(one, self.parts) for one in self.of(Picture)}
        if not pictures:
            return []
        listed = [f"- {literal(one.name)}: {literal(one.alt)}" for one in self.of(Picture)]
        return [
            ("markdown", "## The picture\n\nThe page drew it: the next cell holds its data, which "
             "do not follow a change of the program above.\n\n" + "\n".join(listed)),
            ("data", f"import json\n\npictures = json.loads({json.dumps(pictures)!r})"),
            ("code", DRAW),
        ]  # fmt: skip

    def npz(self) -> bytes:
        """The arrays behind the view; the columns of its tables unless it names others."""
        about = {
            "page": self.page,
            "view": self.program.name,
            "address": self.address,
            "made": self.made,
            "facts": self._facts(),
        }
        arrays = self.program.arrays or self._columns
        return as_npz(arrays(), self.model, about)

    def _columns(self) -> dict[str, Any]:
        """The columns of all tables; with several, each is named after its table too."""
        tables = {one.name: one.columns() for one in self.of(Table)}
        if len(tables) == 1:
            return dict(next(iter(tables.values())))
        return {
            f"{name}: {title}": values
            for name, columns in tables.items()
            for title, values in columns.items()
        }

    def _facts(self) -> dict[str, str]:
        """The model, how the view was made, and the versions of what computed it."""
        facts = {"model": self.model}
        if self.model == self.program.bert.name:
            facts |= _origin_of(self.program.bert)
        facts |= {key: str(value) for key, value in self.made.items()}
        facts |= {"Python": platform.python_version(), APP: bertviz_core.__version__}
        return facts | versions(list(dict.fromkeys([*packages_of(self.program.text), *ALWAYS])))


def _origin_of(bert: Bert) -> dict[str, str]:
    """Where a model comes from, and what tells its weights from any others."""
    checkpoint = bert.checkpoint
    facts = {"where from": WHERE_FROM[checkpoint.source]}
    if checkpoint.revision:
        facts |= {"repository": checkpoint.repo_id or "", "revision": checkpoint.revision}
    return facts | {"SHA-256 of its weights": checkpoint.weights_hash()}


def as_plain(picture: Picture, parts: Sequence[Part]) -> dict[str, Any]:
    """A picture in the light look with what other parts put on it, as values that JSON knows."""
    from plotly.io import to_json  # it looks for IPython, which takes long to import where it is

    spec = picture.figure.to_dict()
    spec["layout"] = {**spec["layout"], "template": TEMPLATES[False, False]}
    for part in parts:
        if isinstance(part, Overlay) and part.picture == picture.name:
            spec["data"] = [*spec["data"], *part.traces]
            spec["layout"]["shapes"] = [*spec["layout"].get("shapes", []), *part.shapes]
    plain: dict[str, Any] = json.loads(to_json(spec, validate=False))
    return plain


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

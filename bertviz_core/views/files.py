"""What is shown of a view up to its program, as files to take home: a notebook, and arrays."""

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bertviz_core
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import WHERE_FROM
from bertviz_core.figures.colors import TEMPLATES
from bertviz_core.saved_files import Made, as_npz
from bertviz_core.showable import filled
from bertviz_core.views.notebook import as_notebook, literal, packages_of, versions
from bertviz_core.views.view import Overlay, Part, Picture, Program, Sentence, Table

APP = "bert-embedding-explorer"
ALWAYS = ("torch", "transformers", "tokenizers", "numpy", "plotly", "streamlit")
# Of plotly.js: without Plotly's mark and its button that uploads the figure to another host.
NO_UPLOAD = {"displaylogo": False, "showSendToCloud": False, "plotlyServerURL": ""}


@dataclass(frozen=True)
class Page:
    """The page that a view is on."""

    title: str
    model: str  # name of the model in use
    question: str = ""  # its heading


@dataclass(frozen=True, eq=False)
class ViewFiles:
    """The parts of a view up to a program, which makes files of them."""

    page: Page  # where it is shown
    address: str  # of the view on it, as a whole
    parts: Sequence[Part]  # its sentences, pictures and tables
    program: Program  # what prints its numbers
    made: Made  # how it was made: {"layer": 5}

    @property
    def model(self) -> str:
        """The model that made the numbers: that of an opened file, or the one in use."""
        return str(self.made.get("vectors of", self.program.bert.name))

    def of(self, kind: type) -> list[Any]:
        """The parts of a kind."""
        return [part for part in self.parts if isinstance(part, kind)]

    def notebook(self) -> bytes:
        """The program in cells, below what the view says, and its pictures."""
        pictures = self.of(Picture)
        return as_notebook(
            self.program.text,
            question=self.page.question,
            page=self.page.title,
            findings=[
                filled(one.template, one.values, lambda text, _: literal(text))
                for one in self.of(Sentence)
                if one.kind == "finding"
            ],
            address=self.address,
            facts=self._facts(),
            alts={one.name: one.alt for one in pictures},
            pictures={one.name: as_plain(one, self.parts) for one in pictures},
        )

    def npz(self) -> bytes:
        """The arrays behind the view; the columns of its tables unless it names others."""
        about = {
            "page": self.page.title,
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
            spec["data"] = [*spec["data"], *part.changes.get("data", [])]
            spec["layout"] |= part.changes["layout"]
    plain: dict[str, Any] = json.loads(to_json(spec, validate=False))
    return plain

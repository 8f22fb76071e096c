"""What is shown of a view up to its program, as files to take home: notebook, arrays, web page."""

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import bertviz_core
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import WHERE_FROM
from bertviz_core.figures.colors import TEMPLATES
from bertviz_core.saved_files import Made, as_npz
from bertviz_core.showable import filled, plain
from bertviz_core.views.notebook import as_notebook, literal, packages_of, versions
from bertviz_core.views.view import Overlay, Part, Picture, Program, Sentence, Table

APP = "bert-embedding-explorer"
ALWAYS = ("torch", "transformers", "tokenizers", "numpy", "plotly", "streamlit")
# Of plotly.js: without Plotly's mark and its button that uploads the figure to another host.
NO_UPLOAD = {"displaylogo": False, "showSendToCloud": False, "plotlyServerURL": ""}
STYLE = """\
body { font: 16px/1.5 sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } .finding { font-size: 1.15rem; } a { overflow-wrap: anywhere; }"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
{style}
</style>
<script>{script}</script>
</head>
<body>
<h1>{title}</h1>
{sentences}
{parts}
<p><small>{made}<br><a href="{link}">{link}</a></small></p>
</body>
</html>
"""


@dataclass(frozen=True)
class Page:
    """The page that a view is on."""

    title: str
    model: str  # name of the model in use
    question: str = ""  # its heading


@dataclass(frozen=True, eq=False)
class Shown:
    """What is shown up to a program, and how it was made."""

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

    def _findings(self, write: Callable[[str], str]) -> list[str]:
        """The sentences that say what the numbers mean; `write` makes the text of each harmless."""
        findings = [one for one in self.of(Sentence) if one.kind == "finding"]
        return [filled(one.template, one.values, lambda text, _: write(text)) for one in findings]

    def notebook(self) -> bytes:
        """The program in cells, below what the view says, and its picture."""
        pictures = self._pictures()
        return as_notebook(
            self.program.text,
            question=self.page.question,
            page=self.page.title,
            findings=self._findings(literal),
            address=self.address,
            facts=self._facts(),
            alts={one.name: one.alt for one, _ in pictures},
            pictures={one.name: spec for one, spec in pictures},
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

    def web_page(self) -> bytes:
        """The pictures and what they say, as a page of about 5 MB that needs no network."""
        from plotly.offline import get_plotlyjs  # it looks for IPython, as `to_json` does

        title, link = escape(self.page.question or self.page.title), escape(self.address)
        made = [
            self.page.title,
            self.model,
            *(f"{key} {value}" for key, value in self.made.items()),
        ]
        sentences = "\n".join(f'<p class="finding">{said}</p>' for said in self._findings(plain))
        figures = [
            f'<figure role="img" aria-label="{escape(one.alt)}">{_as_html(spec, number)}</figure>'
            for number, (one, spec) in enumerate(self._pictures())
        ]
        page = PAGE.format(
            title=title,
            style=STYLE,
            script=get_plotlyjs(),
            sentences=sentences,
            parts="\n".join(figures),
            made=escape(" · ".join(made)),
            link=link,
        )
        return page.encode(errors="replace")  # half of a character has no bytes in UTF-8

    def _pictures(self) -> list[tuple[Picture, dict[str, Any]]]:
        return [(one, as_plain(one, self.parts)) for one in self.of(Picture)]

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
            facts |= _files_of(self.program.bert)
        facts |= {key: str(value) for key, value in self.made.items()}
        facts |= {"Python": platform.python_version(), APP: bertviz_core.__version__}
        return facts | versions(list(dict.fromkeys([*packages_of(self.program.text), *ALWAYS])))


def _files_of(bert: Bert) -> dict[str, str]:
    """Where a model comes from, and what tells its weights from any others."""
    found = bert.checkpoint
    facts = {"where from": WHERE_FROM[found.source]}
    if found.revision:
        facts |= {"repository": found.repo_id or "", "revision": found.revision}
    return facts | {"SHA-256 of its weights": found.weights_hash()}


def as_plain(picture: Picture, parts: Sequence[Part]) -> dict[str, Any]:
    """A picture in the light look with what other parts put on it, as values that JSON knows."""
    from plotly.io import to_json  # it looks for IPython, which takes long to import where it is

    spec = picture.figure.to_dict()
    spec["layout"] = {**spec["layout"], "template": TEMPLATES[False, False]}
    for one in parts:
        if isinstance(one, Overlay) and one.picture == picture.name:
            spec["data"] = [*spec["data"], *one.changes.get("data", [])]
            spec["layout"] |= one.changes["layout"]
    made: dict[str, Any] = json.loads(to_json(spec, validate=False))
    return made


def _as_html(spec: dict[str, Any], number: int) -> str:
    from plotly.io import to_html

    return str(
        to_html(
            spec,
            config={**NO_UPLOAD, "responsive": True},
            auto_play=False,
            include_plotlyjs=False,
            full_html=False,
            div_id=f"figure-{number}",
            default_width="100%",
            validate=False,
        )
    )

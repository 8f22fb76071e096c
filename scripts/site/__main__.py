"""`make site`: write what Sphinx makes the site of: gallery, answers, reference, documents."""

import json
import logging
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec
from urllib.parse import urlencode

import streamlit
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import AppTest

from benchmarks.app_server import ROOT
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.figures.colors import TEMPLATES
from bertviz_core.shared.models import models
from bertviz_core.ui import html, state
from bertviz_core.ui.draw import SECTION
from bertviz_core.ui.page import PAGES
from bertviz_core.views.declare import Section, all_sections
from bertviz_core.views.docs import questions
from bertviz_core.views.files import NO_UPLOAD, as_plain
from bertviz_core.views.parts import Part, Picture, Program, Sentence, Table
from bertviz_core.views.view import View
from tests.live_app import running_browser

APP = os.environ.get("BERTVIZ_APP", "").rstrip("/") or "http://localhost:8501"
# What a page is asked for to show a view, beside its section.
ASKED: dict[str, dict[str, Any]] = {
    "map of the token table": {"q": ""},
    "pieces and pooling": {"a": "The awesomesauce was hot", "a2": "Pure awesomesauce"},
}
LOOKS = {"light": TEMPLATES[False, False], "dark": TEMPLATES[True, False]}
SCROLLS = '<div class="pst-scrollable-table-container" tabindex="0">'


def main(source: Path) -> None:
    """Write the folder anew."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(Path(__file__).parent / "source", source)
    shutil.copytree(ROOT / "docs", source / "docs")
    for file in (file for file in ROOT.iterdir() if file.is_file()):  # documents link to some
        shutil.copy(file, source)
    static = source / "_static"
    shutil.copytree(Path(html.__file__).parent / "browser", static, dirs_exist_ok=True)
    (font,) = Path(streamlit.__file__).parent.rglob("SourceSansVF-Upright*.woff2")
    shutil.copy(font, static / "source-sans.woff2")  # pictures have room for texts in its letters
    given = json.dumps({"looks": LOOKS, "config": {**NO_UPLOAD, "responsive": True}})
    write(static / "looks.js", f"const SITE = {given};")
    write(static / "plotly.min.js", get_plotlyjs())
    with running_browser() as browser:
        page = browser.new_page(viewport={"width": 480, "height": 320})
        page.set_content('<div id="picture" style="position: fixed; inset: 0"></div>')
        page.add_script_tag(content=get_plotlyjs())
        opening = write_gallery(source / "gallery", page)
    about, *_ = (source / "README.md").read_text(encoding="utf-8").partition("![")
    contents = ("gallery/index", "Answers <docs/questions>", "reference/index", "guides")
    write(source / "index.md", about, opening, listed(contents))
    write_answers(source / "docs" / "questions.md")
    write_reference(source / "reference", (source / "docs/library.md").read_text(encoding="utf-8"))
    guides = ("Get started <README>", "docs/[!q]*", "CONTRIBUTING", "SECURITY", "CHANGELOG")
    write(source / "guides.md", "# Guides", listed(guides, ":glob:"))


def write(file: Path, *parts: str) -> None:
    """Write parts of a text, with a blank line between them."""
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n\n".join(parts), encoding="utf-8")


def named(*words: str) -> str:
    """The name of a page, or of what is linked to."""
    return re.sub(r"\W+", "-", " ".join(words).lower()).strip("-")


def listed(names: Iterable[str], *options: str) -> str:
    """A list of pages, which the navigation has as well."""
    return "\n".join(["```{toctree}", ":maxdepth: 2", *options, "", *names, "```"])


def live(page: str, **inputs: Any) -> str:
    """A link to a view in the app, with the model whose numbers are shown here."""
    query = urlencode({"model": EMBEDDED, **inputs}, doseq=True)
    return f"[Open it live]({APP}/{page}?{query}){{.live}}"


def shown_by_the_app() -> Iterator[tuple[Section, View, str, str]]:
    """Every view as its page calls it for a visitor, the page's question, and a link."""
    logging.getLogger(script_run_context.__name__).disabled = True  # that there is no server
    models.encoder(EMBEDDED)  # else pages wait for a click
    every = sorted(all_sections(), key=lambda one: (one.rank, one.label in ASKED, one.label))
    for page in PAGES:
        for section in (one for one in every if one.page == page.title):
            make = section.make
            called = create_autospec(make, side_effect=make)
            object.__setattr__(section, "make", called)
            asked = {SECTION: section.label} if section.rank else {}
            asked |= ASKED.get(section.label, {})
            app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
            app.switch_page(page.script)
            app.query_params.update({"model": EMBEDDED, **asked})
            question = app.run().session_state[state.KEY].question
            object.__setattr__(section, "make", make)
            view = make(*called.call_args.args, **called.call_args.kwargs)
            yield section, view, question, live(page.address, **asked)


def markdown(part: Part, view: View) -> str:
    """A part of a view: its sentences, pictures, tables and programs."""
    match part:
        case Sentence():
            method = f"[What these numbers mean](/docs/methods.md#{part.method})"
            sentence = html.written(replace(part, method=""))
            return f"{sentence}\n\n{method}" if part.method else sentence
        case Picture():
            spec = as_plain(part, view.all_parts)
            text = json.dumps(spec, separators=(",", ":")).replace("<", "\\u003c")
            room = f'<div style="min-height: {spec["layout"]["height"]}px"></div>'
            text = f'<script type="application/json">{text}</script>'
            return f'<figure aria-label="{escape(part.alt)}">{room}{text}</figure>'
        case Table():
            frame = view.to_frame(part.name)
            number = "{:.4g}".format
            rows = frame.to_html(index=False, na_rep="", float_format=number, max_rows=50)
            rows = f'<div class="rows" tabindex="0">{" ".join(rows.split())}</div>'
            title = part.fold or f"Table of {part.name.replace('-', ' ')}"
            return f":::{{dropdown}} {title}\n:icon: table\n{SCROLLS}{rows}</div>\n:::"
        case Program():
            title = f"Program{part.about and ' of '}{part.about}: it needs nothing of this project"
            return f":::{{dropdown}} {title}\n:icon: code\n````python\n{part.text}````\n:::"
    return ""


def draw_small(page: Page, spec: dict[str, Any], file: str) -> None:
    """Draw the shapes of a picture alone, in both looks."""
    layout = spec["layout"]
    layout |= {name: layout[name] | {"visible": False} for name in layout if "axis" in name}
    layout |= {name: [] for name in ("annotations", "sliders", "updatemenus")}
    layout |= {"height": None, "margin": dict.fromkeys("lrtb", 4), "showlegend": False}
    for trace in spec["data"]:
        trace["showscale"] = False
    for look, template in LOOKS.items():
        layout["template"] = template
        page.evaluate("spec => Plotly.newPlot('picture', spec)", spec)
        page.screenshot(path=f"{file}-{look}.jpg", type="jpeg")


def write_gallery(folder: Path, page: Page) -> str:
    """Write a page for each page of the app, and the index; what the first page opens with."""
    index = ["# Gallery", f"All views, with the numbers of {EMBEDDED}."]
    names = []
    for (title, question), group in groupby(shown_by_the_app(), lambda one: (one[0].page, one[2])):
        parts = [f"# {question}"]
        index += [f"## {question}", "::::{grid} 2 2 3 4\n:gutter: 3"]
        for section, view, _, link in group:
            name = named(title, section.label)
            parts += [f"({name})=\n## {section.label}", f"{link} {section.about}"]
            parts += [markdown(part, view) for part in view.all_parts]
            index.append(f":::{{grid-item-card}}\n:link: {name}\n:link-type: ref")
            for picture in list(view.pictures.values())[:1]:
                draw_small(page, as_plain(picture, view.all_parts), f"{folder}/{name}")
                index += [f"![]({name}-{look}.jpg){{.only-{look}}}" for look in LOOKS]
            index += [f"**{section.label}**", section.about, ":::"]
            if section.label == "where its paths part":
                opening = [markdown(part, view) for part in view.parts[:2]]
        index.append("::::")
        names.append(named(title))
        write(folder / f"{names[-1]}.md", *parts)
    write(folder / "index.md", *index, listed(names, ":hidden:"))
    return "\n\n".join(opening)


def write_answers(file: Path) -> None:
    """Write a page for each entry of docs/questions.md, which becomes a list of them."""
    folder = file.parents[1] / "answers"
    text = file.read_text(encoding="utf-8")
    for title, one in questions().items():
        program = f"```python\n{one.program}  # {one.prints}\n```"
        page = named(one.page.replace("_", " ") or "Home")
        seen = f"{live(one.page, **one.inputs)} In the gallery: [](../gallery/{page}.md)"
        write(folder / f"{named(title)}.md", f"# {title}", one.answer, seen, program)
    parts = [text.partition("Run this first")[0]]
    for heading, entries in re.findall(r"(?ms)^## (.+?)$(.+?)(?=^## )", text):
        titles = [named(one) for one in questions() if f"### {one}\n" in entries]
        parts += [f"## {heading}", listed(f"../answers/{one}" for one in titles)]
    write(file, *parts)


def write_reference(folder: Path, library: str) -> None:
    """Write a page for each module with a function or a class that docs/library.md imports."""
    imports = re.findall(r"(?m)^from (bertviz_core[\w.]*) import ([\w, ]+|\([^)]+)", library)
    names = {
        getattr(import_module(module), name).__module__
        for module, imported in imports
        for name in re.findall(r"\w+", imported)
    }
    for name in names:
        block = f"```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```"
        write(folder / f"{name}.md", f"# {name}", block)
    write(folder / "index.md", "# Reference", listed(sorted(names)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

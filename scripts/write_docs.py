"""Write what docs/links.md and docs/command.md list, made of the code itself: `make links`.

Every page is held to the keys here. In a key `#` is a number. A key means the same on all pages
that have it: its value goes along from page to page.
"""

import argparse
import re
from pathlib import Path

from benchmarks.app_server import ROOT
from bertviz_core.command.main import EXAMPLES, EXIT_CODES, NAME, parser
from bertviz_core.views.declare import all_sections

LINKS, COMMAND = ROOT / "docs" / "links.md", ROOT / "docs" / "command.md"
BEGIN = "## Reference\n"

# What each key holds, on every page and on one.
EVERYWHERE = {
    "model": "the model, by its name in the sidebar",
    "present": "presenter mode: light, dark, or 1 for the look of the system",
    "embed": "true: one picture, for a frame of another site",
    "embed_options": "light_theme or dark_theme, for such a frame",
    "tour": "the stop of the tour that is shown in place of the page; 13 is its end",
    "guess#": "the guess at a stop of the tour: true, false, shown, a number (0.60) or a word",
}
TWO_SENTENCES = {
    "a": "the first sentence",
    "a2": "the second sentence",
    "word": "the word that is followed; of several, the first that a sentence has",
    "anchors": "the words to compare with, with commas",
}
FIELDS: dict[str, dict[str, str]] = {
    "Home": {
        **TWO_SENTENCES,
        "ask": "what is searched among the questions",
    },
    "Tokens": {"a": "text A", "b": "text B", "follow": "the word whose pieces are searched"},
    "Input Embeddings": {
        "a": "sentence A",
        "b": "sentence B",
        "token": "position of the token that is looked at",
    },
    "Nearest Neighbors": {
        "q": "the query",
        "q2": "the second query",
        "q3": "the third query",
        "k": "how many neighbours",
        "metric": "the similarity measure",
        "keep": "which tokens are shown",
        "unused": "whether rows that no text reaches are included",
    },
    "Word in Context": {
        **TWO_SENTENCES,
        "more": "further sentences, one per line",
        "pooling": "how the pieces of a word become one vector",
        "layer": "the layer",
    },
    "Word Senses": {
        "from": "where the occurrences come from",
        "set": "the word of a prepared set",
        "senseword": "the word to look for in a text",
        "lines": "lines with the word",
        "filetext": "the column of an uploaded table with the text",
        "filelabel": "the column with the labels",
        "fileword": "the word of an uploaded file",
        "filecolumn": "the column that colours it",
        "corpus": "the corpus",
        "corpusword": "its word",
        "spread": "the column that its sample is spread over",
        "pooling": "how the pieces of a word become one vector",
        "layer": "the layer",
        "near": "number of the occurrence that is looked at",
    },
    "Sentence Vectors": {
        "a": "a sentence",
        "others": "others, one per line",
        "vectorfrom": "whether a vector is pasted or in a file; no address has its numbers",
    },
    "Positions and Segments": {},
    "Inside the Model": {},
    "Methods": {"find": "what is searched among the entries"},
}


def fields_of(page: str) -> dict[str, str]:
    """What every key of a page holds: those that the page asks for, then those of its views."""
    here = FIELDS[page]
    views = [section for section in all_sections() if section.page == page]
    views.sort(key=lambda section: (section.rank, section.label))
    if any(section.rank for section in views):
        here = here | {"section": "the section that is open"}
    for section in views:
        for field in section.fields.values():
            meant = (EVERYWHERE | here).get(field.key, field.holds)
            if meant != field.holds:
                raise ValueError(
                    f"{page}, {section.label}: {field.key!r} is {field.holds!r}, "
                    f"but means {meant!r} on this page already; choose another key."
                )
        here = here | {field.key: field.holds for field in section.fields.values()}
    return here


def link_tables() -> str:
    """What docs/links.md says of every key."""
    parts = []
    of_pages = {title: fields_of(title) for title in FIELDS}
    for title, fields in {"Every page": EVERYWHERE, **of_pages}.items():
        rows = [f"| `{key}` | {about} |" for key, about in fields.items()]
        if rows:
            head = [f"### {title}", "", "| key | what it holds |", "| --- | --- |"]
            parts.append("\n".join([*head, *rows]))
    return "\n\n".join(parts)


def reference() -> str:
    """All subcommands with their examples, arguments and defaults; then the exit codes."""
    parts = [f"{BEGIN}\nWritten by `make links` from the command itself."]
    (kinds,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    for name, own in kinds.choices.items():
        prose = " ".join((own.epilog or "").partition("examples:")[0].split())
        examples = "\n".join(f"{NAME} {example}" for example in EXAMPLES[name])
        parts += [f"### {name}", f"{own.description} {prose}".strip(), f"```\n{examples}\n```"]
        rows = [row(action) for action in own._actions if "--help" not in action.option_strings]
        if rows:
            parts.append(
                "\n".join(["| argument | what it is | default |", "| --- | --- | --- |", *rows])
            )
    codes = [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    parts += ["### Exit codes", "\n".join(["| code | meaning |", "| --- | --- |", *codes])]
    return "\n\n".join(parts) + "\n"


def row(action: argparse.Action) -> str:
    """An argument as a row of the table."""
    value = action.metavar or "" if action.nargs != 0 else ""
    if action.choices:
        value = "|".join(action.choices)
    written = " ".join([", ".join(action.option_strings), str(value)]).strip()
    default = (
        "" if action.default in (None, False, [], argparse.SUPPRESS) else f"`{action.default}`"
    )
    if action.required and action.nargs != "*":
        default = "must be given"
    return f"| `{written.replace('|', ' or ')}` | {action.help} | {default} |"


def written() -> dict[Path, str]:
    """Both documents with what is made of the code put in anew, by their files."""
    before, _, after = LINKS.read_text(encoding="utf-8").partition("### Every page\n")
    rest = re.search(r"(?ms)^## .*", after)
    links = before + link_tables() + "\n" + ("\n" + rest[0] if rest else "")
    before, _, _ = COMMAND.read_text(encoding="utf-8").partition(BEGIN)
    return {LINKS: links, COMMAND: before + reference()}


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")

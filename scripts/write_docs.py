"""Write what docs/links.md and docs/command.md list, made of the code itself: `make links`."""

import argparse
import re
from pathlib import Path

from benchmarks.app_server import ROOT
from bertviz_core.command.main import EXAMPLES, EXIT_CODES, NAME, parser
from scripts import link_keys

LINKS, COMMAND = ROOT / "docs" / "links.md", ROOT / "docs" / "command.md"
BEGIN = "## Reference\n"


def link_tables() -> str:
    """What docs/links.md says of every key."""
    parts = []
    of_pages = {title: link_keys.fields_of(title) for title in link_keys.FIELDS}
    for title, fields in {"Every page": link_keys.EVERYWHERE, **of_pages}.items():
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

"""What each number is, from docs/methods.md: folded entries, which can be searched."""

import re
from functools import cache

from bertviz_core.app_folder import APP_FOLDER
from bertviz_core.ui import html, inputs, links
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.forms.search import Index

MOST = 8  # that are shown of what fits


@cache
def methods() -> dict[str, tuple[str, str]]:
    """The title and the text of each entry, by its name in the address."""
    text = (APP_FOLDER / "docs" / "methods.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^(###?) (.+)\n", text, flags=re.MULTILINE)
    page, found = "", {}
    for level, title, own in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        page = f"{title} · " if level == "##" else page
        if own.strip():  # the heading of a page has no text
            name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
            found[name] = (title if level == "##" else page + title, own)
    return found


_index = cache(lambda: Index(methods()))


def matches(typed: str) -> list[str]:
    """The entries that fit what was typed, best first; all for nothing."""
    return _index().best(typed, MOST) if typed.strip() else list(methods())


@fragment
def list_methods() -> None:
    """Search the entries; the one that a "?" leads to is shown alone."""
    label = f"Search {len(methods())} entries; empty: all of them"
    typed = inputs.sentence(label, "", key="find", placeholder="percentile, AUC …", live=True)
    found = matches(typed)
    if not found:
        html.caption("No entry has “{typed}”.", typed=typed)
    for name in found:
        html.entry(*methods()[name], is_open=bool(typed.strip()) and name == found[0])
    if typed in found:
        links.row("", {"All entries": links.view("Methods")})

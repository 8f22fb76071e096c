"""What each number is, what it is compared with, and what it cannot tell."""

from bertviz_core.ui import draw, fields, html, page, state
from bertviz_core.views.docs import best_methods, methods

page.begin(
    "Methods",
    "What does each number mean?",
    "The “?” behind a finding leads to the entry of its numbers.",
)


def list_methods() -> None:
    """Search the entries; the one that a "?" leads to is shown alone."""
    label = f"Search {len(methods())} entries; empty: all of them"
    typed = fields.sentence(label, "", key="find", placeholder="percentile, AUC …", live=True)
    found = best_methods(typed)
    if not found:
        html.caption("No entry has “{typed}”.", typed=typed)
    for name in found:
        html.entry(*methods()[name], is_open=bool(typed.strip()) and name == found[0])
    if typed in found:
        html.links("", {"All entries": state.link("Methods")})


draw.show_fragment(list_methods)

"""What each number is, what it is compared with, and what it cannot tell."""

from bertviz_core.ui import frame, html, inputs, links
from bertviz_core.ui.errors import fragment
from bertviz_core.views.docs import best_methods, methods

frame.page(
    "Methods",
    "What does each number mean?",
    "The “?” behind a finding leads to the entry of its numbers.",
    icon=":material/menu_book:",
)


@fragment
def list_methods() -> None:
    """Search the entries; the one that a "?" leads to is shown alone."""
    label = f"Search {len(methods())} entries; empty: all of them"
    typed = inputs.sentence(label, "", key="find", placeholder="percentile, AUC …", live=True)
    found = best_methods(typed)
    if not found:
        html.caption("No entry has “{typed}”.", typed=typed)
    for name in found:
        html.entry(*methods()[name], is_open=bool(typed.strip()) and name == found[0])
    if typed in found:
        links.row("", {"All entries": links.view("Methods")})


list_methods()

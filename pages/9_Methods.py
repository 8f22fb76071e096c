"""What each number is, what it is compared with, and what it cannot tell."""

from bertviz_core.ui import frame, html

frame.page(
    "Methods",
    "What does each number mean?",
    "The “?” behind a finding leads to the entry of its numbers.",
    icon=":material/menu_book:",
)

html.document("methods.md")

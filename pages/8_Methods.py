"""What each number is, what it is compared with, and what it cannot tell."""

from bertviz_core.ui import frame, html

frame.page(
    "Methods",
    "What does each number mean?",
    "For every number of the app: what it is, what it is compared with, and what it cannot tell. "
    "The “?” behind a finding leads here.",
    icon=":material/menu_book:",
)

html.document("methods.md")

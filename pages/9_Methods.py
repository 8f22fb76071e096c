"""What each number is, what it is compared with, and what it cannot tell."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.methods import list_methods

frame.page(
    "Methods",
    "What does each number mean?",
    "The “?” behind a finding leads to the entry of its numbers.",
    icon=":material/menu_book:",
)

list_methods()

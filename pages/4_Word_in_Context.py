"""Follow one word through every layer, in sentences that use it differently."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.word_in_context import compare_words

bert = frame.page(
    "Word in Context",
    "How does context change a word?",
    "Tap a word to follow, and two to compare it with.",
    icon=":material/compare_arrows:",
)

compare_words(bert)

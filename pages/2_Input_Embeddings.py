"""The three embeddings that are added for each token, as heatmaps, and the proof."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.input_embeddings import sum_up

bert = frame.page(
    "Input Embeddings",
    "What goes into BERT's first layer?",
    "The sum of three rows for each token, brought to one scale by LayerNorm.",
    icon=":material/layers:",
)

sum_up(bert)

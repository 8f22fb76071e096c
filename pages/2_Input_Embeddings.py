"""The three embeddings that are added for each token, as heatmaps, and the proof."""

from bertviz_core.ui import frame, slots
from bertviz_core.ui.input_embeddings.sum_up import sum_up

bert = frame.page(
    "Input Embeddings",
    "What goes into BERT's first layer?",
    "Each token is the sum of three learned rows (which token, which segment, which position), "
    "brought to one scale by LayerNorm. Below are the real rows.",
    icon=":material/layers:",
)

with slots.part("sum-up"):
    sum_up(bert)

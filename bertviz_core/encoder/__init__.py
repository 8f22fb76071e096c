"""BERT's encoder. The only package that imports torch and transformers.

Both are imported inside functions, because they cost seconds and hundreds of megabytes. `forward`
needs torch alone; `library` needs transformers, and so do a few rare activations. The results of
this package are NumPy float32.
"""

from bertviz_core.encoder.batches import BATCH, BATCH_TOKENS, POOLINGS, Pooling
from bertviz_core.encoder.model import Encoder, load_encoder

__all__ = ["BATCH", "BATCH_TOKENS", "POOLINGS", "Encoder", "Pooling", "load_encoder"]

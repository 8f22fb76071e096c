"""BERT's encoder. The only package that imports torch and transformers.

Both are imported inside functions, because they cost seconds and hundreds of megabytes:
`forward` needs torch alone; transformers comes in by `library`, and for a rare activation. What
leaves this package is NumPy float32.
"""

from bertviz_core.encoder.batches import BATCH, BATCH_TOKENS
from bertviz_core.encoder.model import Encoder, load_encoder
from bertviz_core.encoder.pooling import Pooling

__all__ = ["BATCH", "BATCH_TOKENS", "Encoder", "Pooling", "load_encoder"]

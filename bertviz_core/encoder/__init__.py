"""BERT's encoder. The only package that imports torch and transformers.

Both are imported inside functions, because they cost seconds and hundreds of megabytes; what
leaves this package is NumPy float32.
"""

from bertviz_core.encoder.model import BATCH, Encoder, load_encoder

__all__ = ["BATCH", "Encoder", "load_encoder"]

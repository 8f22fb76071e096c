"""BERT's encoder. The only package that imports torch and transformers.

Both are imported inside functions, because they cost seconds and hundreds of megabytes. `forward`
needs torch alone; the library's own model needs transformers. The results of this package are NumPy
float32.
"""

import os

# Before torch is imported: its second thread would otherwise spin between two products, which took
# five times the processor time of a comparison (benchmarks/rerun.py) while other viewers wait.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from bertviz_core.encoder.model import Encoder, Turn, load_encoder

__all__ = ["Encoder", "Turn", "load_encoder"]

"""Percentiles: where a cosine or a score is among those of a baseline.

A cosine of 0.6 is high at a layer where unrelated words have 0.1, and low where they have 0.7.
"""

from bertviz_core.calibration.percentiles import Baseline
from bertviz_core.calibration.word_scales import Scales, calibration_sentences, measure

__all__ = ["Baseline", "Scales", "calibration_sentences", "measure"]

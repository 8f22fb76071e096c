"""Percentiles: where a cosine or a score is among those of a baseline.

A cosine of 0.6 is high at a layer where unrelated words have 0.1, and low where they have 0.7.
"""

from bertviz_core.calibration.percentiles import Calibration
from bertviz_core.calibration.run import CalibrationRun, calibrate, calibration_sentences
from bertviz_core.calibration.scales import Scales

__all__ = [
    "Calibration",
    "CalibrationRun",
    "Scales",
    "calibrate",
    "calibration_sentences",
]

"""A percentile scale for cosines: where a cosine stands among those of unrelated pairs.

A cosine of 0.6 is high at a layer where unrelated tokens have 0.1, and low where they have 0.7.
This package measures the cosines of unrelated pairs at every layer of a model (`calibrate`) or in
its token table (`calibrate_table`), and gives the percentile of any other cosine.

References:
    Ethayarajh (2019), "How Contextual are Contextualized Word Representations?", for the mean
    cosine of random occurrences as a measure of anisotropy; Mu & Viswanath (2018),
    "All-but-the-Top", for taking away the mean.
"""

from bertviz_core.calibration.cosines import QUANTILES, Calibration
from bertviz_core.calibration.run import (
    CalibrationRun,
    calibrate,
    calibrate_table,
    calibration_sentences,
)

__all__ = [
    "QUANTILES",
    "Calibration",
    "CalibrationRun",
    "calibrate",
    "calibrate_table",
    "calibration_sentences",
]

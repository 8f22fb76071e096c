"""Percentiles: where a cosine or a score is among those of a baseline.

A cosine of 0.6 is high at a layer where unrelated words have 0.1, and low where they have 0.7.
This package measures the cosines of pairs of different words, by how many pieces they have and
whether they are in a sentence, at every layer of a model (`calibrate`), and gives the percentile
of any other cosine; `token_table` does it for the scores of nearest neighbours.

References:
    Ethayarajh (2019), "How Contextual are Contextualized Word Representations?", for the mean
    cosine of random occurrences as a measure of anisotropy; Mu & Viswanath (2018),
    "All-but-the-Top", for taking away the mean.
"""

from bertviz_core.calibration.percentiles import PERCENTS, Calibration
from bertviz_core.calibration.run import CalibrationRun, calibrate, calibration_sentences
from bertviz_core.calibration.scales import Pair, Scales

__all__ = [
    "PERCENTS",
    "Calibration",
    "CalibrationRun",
    "Pair",
    "Scales",
    "calibrate",
    "calibration_sentences",
]

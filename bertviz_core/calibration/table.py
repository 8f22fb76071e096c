"""The calibration of the token table: cosines of random rows, without torch."""

from typing import TYPE_CHECKING

import numpy as np

from bertviz_core.calibration.cosines import Calibration, calibration_of

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

ROWS = 5000
SEED = 0


def calibrate_table(bert: "Bert") -> Calibration:
    """Measure how cosines of random rows of the token table are spread.

    Special tokens, `[unused...]` and rows without a token are left out. The mean is that of all
    other rows; the pairs come from 5,000 of them, drawn with a fixed seed.

    Args:
        bert: The checkpoint whose token table to measure.

    Returns:
        A calibration with one row: use layer 0.

    Raises:
        UserInputError: The table has too few rows with a token.

    References:
        Mu & Viswanath (2018), "All-but-the-Top", on the mean of such a table.
    """
    words, table = bert.vocabulary, bert.tables.word_embeddings
    ordinary = np.flatnonzero(words.is_ordinary)
    order = np.random.default_rng(SEED).permutation(len(ordinary))[:ROWS]
    ids = ordinary[order].astype(np.int64)
    means = bert.mean_token_row()[None]
    return calibration_of(bert.name, table[ids][None], ids, ids, sentences=0, means=means)

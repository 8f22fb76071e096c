"""The number of a position read off its row by ridge regression. Wang & Chen (2020)."""

from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, ratio

# Of the ridge, in mean sums of squares of a dimension; every table gets the one that suits it best.
STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0)


def numbers_read(table: Array | Exact, blocks: Ids, numbers: Any = None) -> Exact:
    """Read the number of each row by a regression that has not seen the rows of its block.

    Rows of block -1 are always seen; in what is returned, float64 (n,), they are NaN. The numbers
    (n,) are 0, 1, 2, ... unless given.
    """
    from threadpoolctl import threadpool_limits

    numbers = np.arange(len(table)) if numbers is None else numbers
    rows = table.astype(np.float64)
    rows -= rows.mean(axis=0)
    errors = np.full((len(STRENGTHS), len(rows)), np.nan)
    with threadpool_limits(limits=1):
        values, vectors = np.linalg.eigh(rows @ rows.T)
        for row, strength in zip(errors, STRENGTHS, strict=True):
            ridge = strength * values.sum() / rows.shape[1]
            fit = vectors * ratio(values.clip(0), values.clip(0) + ridge)
            left = numbers - numbers.mean() - fit @ (vectors.T @ numbers)
            for block in range(blocks.max() + 1):
                # One fit of all rows tells what each block's errors are without it.
                own = blocks == block
                hat = fit[own] @ vectors[own].T + 1 / len(rows)
                row[own] = np.linalg.solve(np.eye(len(hat)) - hat, left[own])
    return numbers - errors[np.nanmean(np.abs(errors), axis=1).argmin()]

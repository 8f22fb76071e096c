"""The cosines of pairs, kept as quantiles, and the percentile of any other cosine."""

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, read_only
from bertviz_core.result import Result

# The percentiles that are kept: as fine as they are shown, in tenths at both ends.
PERCENTS: Exact = read_only(
    np.concatenate([np.arange(10) / 10, np.arange(1, 99), np.arange(990, 1001) / 10])
)
# Percentiles whose sampling error is measured. Between them it is interpolated where it is nearly
# even: on the scale of a normal distribution (docs/methods.md, Percentile scales).
ERRORS_AT = (0.1, 1, 5, 50, 95, 99, 99.9)
SHOWN = (5, 25, 50, 75, 95)  # in a table of a scale
_NORMAL = NormalDist()


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Result):
    """A percentile scale: how the cosines of one kind of pairs are spread, layer by layer.

    All arrays are read-only, and float32 but for `percents`; row n stands for layer n, 0 for the
    input embedding. "Centred" means: the mean vector of the layer was taken away from both
    vectors first.

    Attributes:
        model: Name of the checkpoint.
        sentences: How many sentences the vectors come from.
        vectors: How many vectors were paired.
        pairs: How many pairs they form.
        quantiles: (layers, 119), cosines that `percents` of the pairs do not exceed.
        centred_quantiles: The same after centring.
        anisotropy: (layers,), mean cosine of the pairs, in [-1, 1].
        centred_anisotropy: The same after centring.
        kind: What was paired, in words: "pairs of different content words".
        errors: (layers, 7), standard errors of the percentiles `ERRORS_AT`, in points, by leaving
            out each sentence in turn.
        centred_errors: The same after centring.
        percents: float64 (119,), rising from 0 to 100.
    """

    model: str
    sentences: int
    vectors: int
    pairs: int
    quantiles: Array
    centred_quantiles: Array
    anisotropy: Array
    centred_anisotropy: Array
    kind: str
    errors: Array
    centred_errors: Array
    percents: Exact = field(default_factory=lambda: PERCENTS)

    @property
    def layers(self) -> int:
        """Number of rows: num_hidden_layers + 1."""
        return len(self.quantiles)

    def percentile(self, cosine: float, layer: int = 0, *, centred: bool = False) -> float:
        """Do `percentiles` for one cosine."""
        return float(self.percentiles(np.float64(cosine), layer, centred=centred))

    def percentiles(self, cosines: Any, layer: int = 0, *, centred: bool = False) -> Any:
        """Say how many of the pairs have a lower cosine.

        Args:
            cosines: The cosines to judge, an array.
            layer: Where they were measured.
            centred: Whether they are cosines of centred vectors (`centred_cosines`).

        Returns:
            float64 of the same shape, percent of the pairs, 0 to 100, exact to 0.1 points for the
            pairs that were measured; cosines that several quantiles share stand in their middle.

        Raises:
            ValueError: There is no such layer.
        """
        self._check(layer)
        quantiles = (self.centred_quantiles if centred else self.quantiles)[layer]
        # In float32, as the quantiles are: 0.9 in float64 would miss an equal quantile.
        given = np.asarray(cosines, dtype=np.float32)
        # Of equal quantiles `np.interp` takes the last, and the first where all is turned round.
        last = np.interp(given, quantiles, self.percents)
        first = np.interp(-given, -quantiles[::-1], self.percents[::-1])
        return (first + last) / 2

    def percentiles_by_layer(self, cosines: NDArray[Any], *, centred: bool = False) -> Exact:
        """Do `percentile` for one cosine a layer, as of `contextual.similarity_by_layer`.

        Returns:
            float64 (layers,), percent.

        Raises:
            ValueError: `cosines` has not one number a layer.
        """
        if cosines.shape != (self.layers,):
            raise ValueError(f"cosines have shape {cosines.shape}, layers {(self.layers,)}")
        rows = (self.percentile(c, layer, centred=centred) for layer, c in enumerate(cosines))
        return np.fromiter(rows, dtype=np.float64, count=self.layers)

    def interval(self, percentile: float, layer: int = 0, *, centred: bool = False) -> Exact:
        """Say how far a percentile depends on the sentences that were measured.

        Args:
            percentile: As of `percentile`.
            layer: Where the cosine was measured.
            centred: Whether it is a cosine of centred vectors.

        Returns:
            float64 (2,), the 95% interval: 1.96 standard errors to both sides on the scale of a
            normal distribution, so within 0 and 100. Beyond the outermost of `ERRORS_AT` it goes
            up to 100, or down to 0, since nothing finer was measured. It regards only which
            sentences were drawn: other texts have other percentiles.

        Raises:
            ValueError: There is no such layer.

        References:
            Efron (1979), "Bootstrap Methods: Another Look at the Jackknife", on the errors that
            come from leaving out each sentence in turn, nearly those of drawing them anew.
        """
        self._check(layer)
        errors = self.centred_errors if centred else self.errors
        within = min(max(percentile, ERRORS_AT[0]), ERRORS_AT[-1])
        middle, *places = (_NORMAL.inv_cdf(percent / 100) for percent in (within, *ERRORS_AT))
        slopes = [100 * _NORMAL.pdf(place) for place in places]
        error = float(np.interp(middle, places, errors[layer] / np.array(slopes)))
        low, high = (100 * _NORMAL.cdf(middle + side * 1.96 * error) for side in (-1, 1))
        return np.array(
            [0 if percentile < ERRORS_AT[0] else low, 100 if percentile > ERRORS_AT[-1] else high]
        )

    def _check(self, layer: int) -> None:
        if not 0 <= layer < self.layers:
            raise ValueError(f"layer {layer} of {self.model}; expected 0 to {self.layers - 1}")

    def columns(self) -> dict[str, Any]:
        """One row a layer."""
        columns = {
            "layer": np.arange(self.layers),
            "mean cosine": self.anisotropy,
            "mean-centred": self.centred_anisotropy,
        }
        for title, quantiles in (("", self.quantiles), (", centred", self.centred_quantiles)):
            for percent in SHOWN:
                exceeded = [np.interp(percent, self.percents, row) for row in quantiles]
                columns[f"{percent}% below{title}"] = np.array(exceeded)
        return columns

    def _summary(self) -> str:
        return (
            f"{self.model}, {self.pairs:,} {self.kind}, layers 0 to {self.layers - 1}; mean cosine "
            f"{self.anisotropy[0]:.3f} at the input, {self.anisotropy[-1]:.3f} at the last"
        )

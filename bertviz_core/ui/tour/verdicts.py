"""The tour's claims, judged for the model in use; each verdict is reached once for all viewers."""

from bertviz_core.bert import Bert
from bertviz_core.claims import BY_NAME, Claim, Verdict
from bertviz_core.encoder import Encoder
from bertviz_core.shared import models, once, shared_encoder
from bertviz_core.ui.calibrations import known


def judged(bert: Bert, claim: Claim) -> Verdict | None:
    """Whether a claim holds for a model; nothing is loaded for it.

    Returns:
        The verdict; None where it takes the encoder, the library's own model or the calibration,
        and that is not in memory.
    """
    if claim.needs == "tables":
        return _of_tables(bert, claim.name)
    if claim.needs == "calibration":
        scales = known(bert.name)
        return None if scales is None else claim.condition(scales)
    library = claim.needs == "library"
    if not (models.has_library_model if library else models.has_encoder)(bert.name):
        return None
    return _of_layers(shared_encoder(bert), claim.name)


@once
def _of_tables(bert: Bert, claim: str) -> Verdict:
    return BY_NAME[claim].condition(bert)


@once
def _of_layers(encoder: Encoder, claim: str) -> Verdict:
    return BY_NAME[claim].condition(encoder)

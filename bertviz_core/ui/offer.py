"""The models on offer and which of them are on this machine: looked up once for all viewers."""

from dataclasses import dataclass

import streamlit as st

from bertviz_core.checkpoints.catalog import OfferedModel, offered_models
from bertviz_core.checkpoints.checkpoint import default_model, why_unavailable

LOOK_AGAIN = 10  # seconds; files that were put there by hand are seen after so long


@dataclass(frozen=True)
class Offer:
    """What was found at the last look.

    Attributes:
        models: All models on offer, by name.
        default: The one to start with.
        missing: For each one that cannot be used now, a sentence that says why.
    """

    models: dict[str, OfferedModel]
    default: str
    missing: dict[str, str]

    @property
    def ready(self) -> list[str]:
        """The names of those that can be used."""
        return [name for name in self.models if name not in self.missing]


@st.cache_resource(ttl=LOOK_AGAIN, max_entries=1, show_spinner=False)
def offer() -> Offer:
    """Look for the files of all models; call `offer.clear()` once some have changed.

    Raises:
        ModelUnavailableError: `BERTVIZ_MODEL` or `BERTVIZ_MODELS` cannot be read.
    """
    models = offered_models()
    reasons = {name: why_unavailable(model) for name, model in models.items()}
    missing = {name: reason for name, reason in reasons.items() if reason is not None}
    return Offer(models, default_model(), missing)

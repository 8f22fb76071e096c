"""A token's way through the layers, from the model, shared by all viewers."""

from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Exact, cosine
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import InputText
from bertviz_core.ui.results import encoder_result


@dataclass(frozen=True, eq=False)
class Path:
    """How far a token's vector comes.

    Attributes:
        to_start: float64 (num_hidden_layers + 1,), its cosine with the vector it began as.
        to_others: float64 (num_hidden_layers + 1,), its mean cosine with the other tokens' vectors
            of the same layer; NaN where there is no other.
    """

    to_start: Exact
    to_others: Exact


@encoder_result(max_entries=256)
def path_of(encoder: Encoder, typed: InputText, position: int) -> Path:
    """Follow a token through the layers.

    Args:
        encoder: The model.
        typed: The text.
        position: Of the token.
    """
    states = encoder.hidden_states(typed.tokenize(encoder.bert))
    own = states[:, position]
    others = np.delete(states, position, axis=1)
    means = [
        cosine(layer, vector).mean() if len(layer) else np.nan
        for layer, vector in zip(others, own, strict=True)
    ]
    return Path(cosine(own, own[0]), np.array(means))

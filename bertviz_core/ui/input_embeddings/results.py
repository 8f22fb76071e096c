"""Results of the model's own embedding module."""

from bertviz_core.arrays import Array
from bertviz_core.calibration import calibration_sentences
from bertviz_core.contextual import explained
from bertviz_core.contextual.explained import ExplainedVariance
from bertviz_core.encoder import Encoder, embedding_layer
from bertviz_core.encoder.embedding_layer import DropoutDraws, OrderComparison
from bertviz_core.senses import prepared_set, prepared_words
from bertviz_core.tokens import InputText
from bertviz_core.ui.results import encoder_result


@encoder_result(max_entries=16, max_size="64MB", library=True)
def own_embedding_layer(encoder: Encoder, text: InputText) -> Array:
    """What the model's own embedding module returns; see `Encoder.embedding_layer`."""
    return encoder.embedding_layer(text.tokenize(encoder.bert))


@encoder_result(max_entries=32, library=True)
def sums_in_all_orders(encoder: Encoder, text: InputText) -> OrderComparison:
    """See `encoder.embedding_layer.sums_in_all_orders`."""
    return embedding_layer.sums_in_all_orders(encoder, text.tokenize(encoder.bert))


@encoder_result(max_entries=32, max_size="64MB", library=True)
def dropout_draws(encoder: Encoder, text: InputText, draws: int, seed: int) -> DropoutDraws:
    """See `encoder.embedding_layer.dropout_draws`."""
    return embedding_layer.dropout_draws(encoder, text.tokenize(encoder.bert), draws, seed)


def shipped_sentences() -> list[str]:
    """All English sentences that ship with the project, each once."""
    prepared = [found for word in prepared_words() for found in prepared_set(word).occurrences]
    return list(dict.fromkeys([*calibration_sentences(), *(found.sentence for found in prepared)]))


@encoder_result(max_entries=4)
def explained_variance(encoder: Encoder) -> ExplainedVariance:
    """Over the sentences of the project; see `explained.explained_variance`."""
    return explained.explained_variance(encoder, shipped_sentences())

"""Results of the model, and of its own embedding module."""

from weakref import WeakKeyDictionary

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import calibration_sentences
from bertviz_core.contextual.explained import ExplainedRun, ExplainedVariance
from bertviz_core.encoder import Encoder, embedding_layer
from bertviz_core.encoder.embedding_layer import DropoutDraws, OrderComparison
from bertviz_core.senses import prepared_set, prepared_words
from bertviz_core.tokens import InputText
from bertviz_core.ui import jobs
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.results import encoder_result, gate, models


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


# One a checkpoint, as long as it is open. Not in a cache of Streamlit's, because any visitor can
# have those emptied, and it takes many passes of the encoder.
explained: WeakKeyDictionary[Bert, ExplainedVariance] = WeakKeyDictionary()


def explain_variance(bert: Bert) -> Job:
    """Begin to fill `explained`, over the sentences of the project, step by step."""

    def work(job: Job) -> None:
        run = ExplainedRun(bert, shipped_sentences())
        steps = len(run.batches) + len(run.layers)
        for done, batch in enumerate(run.batches):
            job.report(done, steps)
            with gate(job, bounded=done == 0):
                run.run(models.encoder(bert.name), batch)
        for layer in run.layers:
            job.report(len(run.batches) + layer, steps)
            run.explain(layer)
        explained[bert] = run.result

    return jobs.begin(("explained", bert.name), f"Explaining the vectors of {bert.name}", work)

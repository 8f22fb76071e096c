"""The fields of the page Input Embeddings, and its job."""

from bertviz_core.bert import Bert
from bertviz_core.contextual.explained import ExplainedRun, ExplainedVariance
from bertviz_core.shared import models, results, turn_for
from bertviz_core.ui import inputs, jobs, links, slots, views
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.present import presenting
from bertviz_core.views.input_embeddings.sum_of_parts import sum_of_parts
from bertviz_core.views.input_embeddings.survives import shipped_sentences

EXAMPLES: dict[str, dict[str, str | int]] = {
    "I am Sinan": {"a": "I am Sinan"},
    "a pair of sentences": {"a": "I am Sinan", "b": "She is Zoe"},
    "the same word twice": {"a": "the cat sat on the mat"},
    "dimensions that vary most": {"a": "the cat sat on the mat", "dims": "most variable"},
}


@fragment
def sum_up(bert: Bert) -> None:
    """Ask for a sentence, or a pair, and show what is added up for its tokens."""
    with slots.panel("sentences", "a", "b"):
        typed = inputs.text_and_pair("Sentence", "I love my pet python", live=True)
        text = typed.tokenize(bert)
        with slots.options(
            "sentences", beside=lambda: links.examples("Input_Embeddings", EXAMPLES)
        ):
            asked = views.ask(sum_of_parts, {"bert": bert, "length": len(text)})
            position = inputs.token_position(typed, text)
    given = {"typed": typed, "position": position, "large": presenting()}
    views.show(sum_of_parts, bert, given, asked=asked)
    views.sections("Input Embeddings", bert, given, {"explained": lambda: explained(bert)})


def explained(bert: Bert) -> ExplainedVariance:
    """What predicts the vectors of the shipped sentences; run step by step beside other work."""
    key = ("explained", bert.checkpoint, bert.stamp)

    def work(job: Job) -> None:
        run = ExplainedRun(bert, shipped_sentences())
        steps = len(run.batches) + len(run.layers)
        for done, batch in enumerate(run.batches):
            job.report(done, steps)
            with turn_for(job):
                run.run(models.encoder(bert.name), batch)
        for layer in run.layers:
            job.report(len(run.batches) + layer, steps)
            run.explain(layer)
        results.keep(key, run.result)

    while (found := results.find(key)) is None:  # again if the job was given up
        job = jobs.begin(key, f"Explaining the vectors of {bert.name}", work)
        jobs.follow(job, lambda _: "Running all sentences, then predicting their vectors, once")
    return found

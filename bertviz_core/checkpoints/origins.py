"""What is known of how a model was trained: numbers of one are not numbers of all."""

from dataclasses import dataclass

from bertviz_core.checkpoints.catalog import EMBEDDED, built_in_models
from bertviz_core.checkpoints.checkpoint import Checkpoint


@dataclass(frozen=True)
class Origin:
    """How a model was trained.

    Attributes:
        short: In a few words.
        told: In sentences, with sources.
        upper: What its upper layers, [MASK] and the pooler were trained for.
    """

    short: str
    told: str
    upper: str


UNKNOWN = Origin(
    "how it was trained is not known here",
    "How it was trained is not known here: its files say what it is made of, not what it was "
    "trained for.",
    "What its upper layers, [MASK] and its pooler were trained for is not known here.",
)
_DISTILLED = Origin(
    "a small BERT, distilled, then tuned for sentence similarity",
    "It is no BERT as first published: a BERT of 6 layers that was distilled from a larger model "
    "(MiniLM, Wang et al. 2020: every second of its 12 layers was kept) and then tuned so that "
    "the mean of all its vectors tells similar sentences (sentence-transformers, Reimers & "
    "Gurevych 2019).",
    "This model's last training was for the similarity of sentences: its upper layers serve the "
    "mean of all vectors, it predicts no masked words, and nothing uses its pooler. "
    "bert-base answers otherwise.",
)
_PUBLISHED = Origin(
    "BERT as first published",
    "It is a BERT as first published: pre-trained on books and Wikipedia, to predict masked words "
    "and whether one text follows another (Devlin et al. 2019).",
    "Its upper layers were trained to predict masked words, [MASK] stood for them, and its "
    "pooler told whether one text follows another.",
)
_RANDOM = Origin(
    "never trained: random weights in the same shape",
    "It was never trained: it has the sizes and the tokenizer of the model that comes with the "
    "app, and weights that this app drew at random, as a BERT has before its first step. What it "
    "shows comes from the shape alone; what the other one shows beyond that came from training.",
    "This model was never trained for anything: whatever stands here comes from chance.",
)


def origin_of(checkpoint: Checkpoint) -> Origin:
    """Say what is known of a model: of those built in, by their files; of others nothing.

    An operator's folder may have a built-in name; it is known only if it is the pinned commit.
    """
    if checkpoint.source == "random":
        return _RANDOM
    built_in = built_in_models().get(checkpoint.name)
    if built_in is None or checkpoint.source == "folder":
        return UNKNOWN
    if built_in.name == EMBEDDED:
        return _DISTILLED if checkpoint.source == "package" else UNKNOWN
    same = (checkpoint.repo_id, checkpoint.revision) == (built_in.repo_id, built_in.revision)
    return _PUBLISHED if same else UNKNOWN

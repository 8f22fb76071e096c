"""`bert-explorer check`: Is this machine ready to run the app?

It prints versions, models with the reason why one is not ready, and whether the embedded model
gives the right numbers.
"""

import importlib.metadata
import platform
import sys
import tomllib
from itertools import chain

import numpy as np
from packaging.requirements import Requirement

import bertviz_core
from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.catalog import EMBEDDED, offered_models
from bertviz_core.checkpoints.ready import default_model, why_unavailable
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import load_encoder
from bertviz_core.encoder.batches import devices
from bertviz_core.errors import BertvizError, install_of
from bertviz_core.process import APP_FOLDER
from bertviz_core.tokens import tokenize

NAME, OF_APP = "bert-embedding-explorer", ("model", "encoder", "figures", "app")
# Of the embedded model, computed once with transformers 5.23 and torch 2.13.
SENTENCE, WORD, ANCHOR = "I love my pet python", 5, "snake"
FIRST_NUMBERS = (-0.51133, -1.44108, 0.78798, 0.70827, 0.09485, -0.78466)
LAST_COSINE = 0.507


def main() -> int:
    """Print all checks, and return the exit code."""
    ready = [_versions(), _models(), _numbers()]
    print("\nready" if all(ready) else "\nNOT READY: see the lines that begin with !!")
    return 0 if all(ready) else 1


def _line(text: str, *, good: bool = True) -> bool:
    print(f"   {text}" if good else f"!! {text}")
    return good


def _versions() -> bool:
    print(f"Python {platform.python_version()}, {platform.platform()}")
    good = _line(f"{NAME} {bertviz_core.__version__}")
    file = APP_FOLDER / "pyproject.toml"
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    of_extras = (project["optional-dependencies"][extra] for extra in OF_APP)
    for needed in map(Requirement, chain(project["dependencies"], *of_extras)):
        if needed.name == NAME:
            continue
        expected = f"expected {needed.name}{needed.specifier}"
        try:
            version = importlib.metadata.version(needed.name)
        except importlib.metadata.PackageNotFoundError:
            good = _line(f"{needed.name} is not installed, {expected}", good=False)
            continue
        fits = needed.specifier.contains(version, prereleases=True)
        good &= _line(f"{needed.name} {version}{'' if fits else f', {expected}'}", good=fits)
    if not good:
        _line(f"{install_of('app')} brings all of them")
    return good


def _models() -> bool:
    print("\nModels")
    try:
        offered = offered_models()
        default = default_model()
    except BertvizError as error:
        return _line(str(error), good=False)
    reasons = {name: why_unavailable(model) for name, model in offered.items()}
    good = True
    for name, reason in reasons.items():
        to_get = offered[name].downloadable or offered[name].shape_of  # by a click in the app
        good &= _line(
            f"{name}: {reason or 'ready'}{' (the one to start with)' if name == default else ''}",
            good=not reason or bool(to_get),
        )
    if reasons[default] is None:
        return good
    return _line(f"The app starts with {default}, which is not ready", good=False)


def _numbers() -> bool:
    print("\nNumbers of the embedded model")
    try:
        bert = load_bert(EMBEDDED)
        output = input_embeddings(bert, tokenize(bert, SENTENCE)).output
        computed = output[WORD, : len(FIRST_NUMBERS)]
        numbers = ", ".join(f"{number:.5f}" for number in computed)
        same = bool(np.allclose(computed, FIRST_NUMBERS, atol=1e-5))
        good = _line(f"input embedding of python begins with {numbers}", good=same)
        encoder = load_encoder(bert)
        batch = f"up to {encoder.batch_tokens:,} tokens in a batch"
        _line(f"the model runs on {encoder.device}, {batch}; torch has {', '.join(devices())}")
        pet = word_in_context(encoder, f"{SENTENCE.removesuffix('python')}[python]")
        cosine = float(similarity_by_layer(pet, word_in_context(encoder, ANCHOR))[-1])
        line = f"python, a pet, and {ANCHOR} at the last layer: {cosine:.3f}"
        return _line(line, good=abs(cosine - LAST_COSINE) < 5e-4) and good
    except (BertvizError, ImportError) as error:
        return _line(str(error), good=False)


if __name__ == "__main__":
    sys.exit(main())

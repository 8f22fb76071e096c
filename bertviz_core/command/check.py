"""`bert-explorer check`: Is this machine ready to run the app?

It prints versions, models with the reason why one is not ready, and whether the embedded model
gives the right numbers.
"""

import importlib.metadata
import platform
import sys
import tomllib
from itertools import chain

from packaging.requirements import Requirement

import bertviz_core
from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.catalog import EMBEDDED, offered_models
from bertviz_core.checkpoints.ready import default_model, why_unavailable
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.encoder import load_encoder
from bertviz_core.encoder.devices import devices
from bertviz_core.errors import BertvizError, install_of
from bertviz_core.process import APP_FOLDER

NAME, OF_APP = "bert-embedding-explorer", ("model", "encoder", "figures", "app")
# Of the embedded model at its last layer, computed once with transformers 5.23 and torch 2.13.
PET, ANCHOR, COSINE = "I love my pet [python]", "snake", 0.507


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
        encoder = load_encoder(load_bert(EMBEDDED))
        batch = f"up to {encoder.batch_tokens:,} tokens in a batch"
        _line(f"the model runs on {encoder.device}, {batch}; torch has {', '.join(devices())}")
        words = (word_in_context(encoder, sentence) for sentence in (PET, ANCHOR))
        cosine = float(similarity_by_layer(*words)[-1])
        line = f"python, a pet, and {ANCHOR} at the last layer: {cosine:.3f}"
        return _line(line, good=abs(cosine - COSINE) < 5e-4)
    except (BertvizError, ImportError) as error:
        return _line(str(error), good=False)


if __name__ == "__main__":
    sys.exit(main())

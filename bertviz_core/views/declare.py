"""How a view is declared: `@view(...)` above a function whose annotated parameters are its form.

A parameter annotated with a field (`fields.py`) becomes a field on the page and a key in the
address. Every other parameter gets the page's input of its name: `bert`, `typed`, `position`, ...
A view with a parameter `encoder` runs the model; one with `bert` needs the tables only.
"""

import importlib
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from bertviz_core.tokens import InputText
from bertviz_core.views.fields import Field, When
from bertviz_core.views.view import View

ROOM = "bertviz_core.views"
FOLDER = Path(__file__).parent


@dataclass(frozen=True, eq=False)
class Section:
    """A view, and what its declaration says of it."""

    label: str  # in the switch on the page, and in the address
    page: str  # title of its page
    make: Callable[..., View]
    fields: Mapping[str, Field]  # by parameter
    needs: tuple[str, ...]  # its other parameters
    about: str  # the first line of its docstring
    rank: int  # sorts the views of a page, then the label does; 0 for the page's headline
    doing: str  # shown while it is computed
    when: When = None  # show this view only if when(inputs) is true

    def __call__(self, *args: Any, **values: Any) -> View:
        """Make the view; a text may be given as a string."""
        given = inspect.signature(self.make).bind(*args, **values)
        if isinstance(given.arguments.get("typed"), str):
            given.arguments["typed"] = InputText(given.arguments["typed"])
        return self.make(*given.args, **given.kwargs)

    @cached_property
    def runs_model(self) -> bool:
        """Whether it needs more than the tables."""
        return "encoder" in self.needs

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """What each field holds on a first visit."""
        parameters = inspect.signature(self.make).parameters
        return {name: parameters[name].default for name in self.fields}


SECTIONS: dict[str, dict[str, Section]] = {}  # by folder and label; filled as they are imported


def view(
    label: str,
    *,
    page: str,
    rank: int = 100,
    doing: str = "",
    when: When = None,
) -> Callable[[Callable[..., View]], Section]:
    """Declare a function as a view of a page; see `Section`. `doing` is said where a model runs."""

    def declare(make: Callable[..., View]) -> Section:
        hints = typing.get_type_hints(make, include_extras=True)
        fields: dict[str, Field] = {}
        for name, hint in hints.items():
            for about in getattr(hint, "__metadata__", ()):
                if isinstance(about, Field):
                    fields[name] = about.with_key(name)
        needs = tuple(name for name in inspect.signature(make).parameters if name not in fields)
        line = (make.__doc__ or "").partition("\n")[0]
        section = Section(label, page, make, fields, needs, line, rank, doing, when)
        SECTIONS.setdefault(_folder(page), {})[label] = section
        sections_of.cache_clear()
        return section

    return declare


@cache
def sections_of(page: str) -> list[Section]:
    """The views below the headline of a page, in their order; their modules are imported."""
    folder = _folder(page)
    _import_room(folder)
    below = (section for section in SECTIONS.get(folder, {}).values() if section.rank)
    return sorted(below, key=lambda section: (section.rank, section.label))


def all_sections() -> list[Section]:
    """Every view of every page, headlines too."""
    for room in sorted(FOLDER.glob("*/__init__.py")):
        _import_room(room.parent.name)
    return [section for page in SECTIONS.values() for section in page.values()]


def _folder(page: str) -> str:
    name = page.lower().replace(" ", "_")
    if not (FOLDER / name).is_dir():
        raise ValueError(f"There is no page {page!r}: {ROOM} has no folder {name}.")
    return name


def _import_room(name: str) -> None:
    for file in sorted((FOLDER / name).glob("[!_]*.py")):
        importlib.import_module(f"{ROOM}.{name}.{file.stem}")

"""How a view is declared: `@view(...)` above a function whose annotated parameters are its form.

A parameter annotated with a field (`fields.py`) is asked for, below the section's name, and is kept
in the address under its own name. Every other parameter is filled in by its name from what the page
has asked: `bert`, `typed`, `position`, ... The first one says what the view needs: `bert` tables
alone, `encoder` the model, `library` also the library's own model of it.
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
    """A view, and what is known of it before it is called."""

    label: str  # what the switch on the page says, and the address
    page: str  # title of its page
    make: Callable[..., View]
    fields: Mapping[str, Field]  # what it asks for, by parameter
    needs: tuple[str, ...]  # its other parameters
    about: str  # the first line of its docstring
    rank: int  # its place among the views of its page, then by label; 0 for the page's headline
    doing: str  # what is said while it is computed
    when: When = None  # show this view only if when(inputs) is true
    card: bool = False  # whether it is among the page's short answers; see `card`

    def __call__(self, *args: Any, **values: Any) -> View:
        """Make the view; a text may be given as a string."""
        given = inspect.signature(self.make).bind(*args, **values)
        if isinstance(given.arguments.get("typed"), str):
            given.arguments["typed"] = InputText(given.arguments["typed"])
        return self.make(*given.args, **given.kwargs)

    @cached_property
    def runs_model(self) -> bool:
        """Whether it needs more than the tables."""
        return self.needs[:1] == ("encoder",)

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
    card: bool = False,
) -> Callable[[Callable[..., View]], Section]:
    """Declare a function as a view of a page; see `Section`. `doing` is said where a model runs."""

    def declare(make: Callable[..., View]) -> Section:
        hints = typing.get_type_hints(make, include_extras=True)
        fields: dict[str, Field] = {}
        for name, hint in hints.items():
            for about in getattr(hint, "__metadata__", ()):
                if isinstance(about, Field):
                    fields[name] = about.named(name)
        needs = tuple(name for name in inspect.signature(make).parameters if name not in fields)
        line = (make.__doc__ or "").partition("\n")[0]
        section = Section(label, page, make, fields, needs, line, rank, doing, when, card)
        SECTIONS.setdefault(_folder(page, make.__module__), {})[label] = section
        sections_of.cache_clear()
        return section

    return declare


@cache
def sections_of(page: str) -> list[Section]:
    """The views below the headline of a page, in their order; their modules are imported."""
    folder = _folder(page)
    _import_room(folder)
    found = (section for section in SECTIONS.get(folder, {}).values() if section.rank)
    return sorted(found, key=lambda section: (section.rank, section.label))


def all_sections() -> list[Section]:
    """Every view of every page, headlines too."""
    for room in sorted(FOLDER.glob("*/__init__.py")):
        _import_room(room.parent.name)
    return [section for page in SECTIONS.values() for section in page.values()]


def _folder(page: str, module: str = ROOM) -> str:
    """The folder of a page's views; a ValueError if there is none, or a view lies in another."""
    name = page.lower().replace(" ", "_")
    elsewhere = module.startswith(f"{ROOM}.") and not module.startswith(f"{ROOM}.{name}.")
    if elsewhere or not (FOLDER / name).is_dir():
        there = sorted(room.parent.name.replace("_", " ") for room in FOLDER.glob("*/__init__.py"))
        raise ValueError(f"{page!r} is not the page of {module}; there are: {', '.join(there)}.")
    return name


def _import_room(name: str) -> None:
    for file in sorted((FOLDER / name).glob("[!_]*.py")):
        importlib.import_module(f"{ROOM}.{name}.{file.stem}")

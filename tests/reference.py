"""The reference of all public names, made of the docstrings: `python -m tests.reference FOLDER`."""

import importlib
import pkgutil
import sys
from pathlib import Path

import pdoc

import bertviz_core

LEFT_OUT = ("bertviz_core.ui", "bertviz_core.snippets")  # the app, and programs that stand alone


def write(folder: Path) -> None:
    """Write a page for each file of the core, and the search."""
    for package in pkgutil.walk_packages(bertviz_core.__path__, "bertviz_core."):
        if package.ispkg and not package.name.startswith(LEFT_OUT):
            _open_up(package.name)
    pdoc.render.configure(docformat="google", show_source=False)
    pdoc.pdoc("bertviz_core", *(f"!{name}" for name in LEFT_OUT), output_directory=folder)


def _open_up(name: str) -> None:
    """Have pdoc tell of all files of a room: it takes `__all__` for a list of them, too."""
    room = importlib.import_module(name)
    if hasattr(room, "__all__"):
        files = [inside.name for inside in pkgutil.iter_modules(room.__path__)]
        room.__all__ = [*room.__all__, *files]


if __name__ == "__main__":
    write(Path(sys.argv[1]))

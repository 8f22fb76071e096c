"""The pages of the app, read from their scripts: a new one is in the sidebar and on Home at once."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class PageEntry:
    """A page, as its script describes it.

    Attributes:
        script: Path from the root of the app.
        title: In the sidebar and the browser's tab.
        icon: In the sidebar, by its name among Material symbols.
        about: What Home says of it: the first line of the script.
        address: Its name in the URL; "" for Home.
    """

    script: str
    title: str
    icon: str
    about: str
    address: str


@cache
def pages() -> tuple[PageEntry, ...]:
    """Home, then the scripts of `pages/` by their numbers. Read once; nothing is run."""
    scripts = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
    return tuple(_read(script) for script in scripts)


def _read(script: Path) -> PageEntry:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "frame.page":
            title = ast.literal_eval(node.args[0])
            options = {option.arg: ast.literal_eval(option.value) for option in node.keywords}
            return PageEntry(
                script.relative_to(ROOT).as_posix(),
                title,
                options["icon"],
                (ast.get_docstring(tree) or "").partition("\n")[0],
                "" if script.name == "app.py" else script.stem.partition("_")[2],
            )
    raise ValueError(f"{script} does not call frame.page")

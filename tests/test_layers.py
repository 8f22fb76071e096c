"""Imports go one way; pages stay thin. Read from the source, nothing is run."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "bertviz_core"
UI = CORE / "ui"
# What is copied into the programs that pages show: no module of ours.
PROGRAM_FUNCTIONS = CORE / "views" / "program_functions.py"
MODULES = sorted(set(CORE.rglob("*.py")) - {PROGRAM_FUNCTIONS})
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
OURS = [*MODULES, PROGRAM_FUNCTIONS, *PAGES, *sorted((ROOT / "tests").rglob("*.py")),
        *sorted((ROOT / "benchmarks").glob("*.py"))]  # fmt: skip

# What each room of the core may import from it, beside these four: the way of the data.
OF_EVERY_ROOM = {"errors", "arrays", "result", "disk_cache"}
TEXT = {"checkpoints", "bert", "tokens"}
ALLOWED: dict[str, set[str]] = {
    "__init__": TEXT | {"embeddings", "neighbors", "encoder", "contextual"},
    "checkpoints": set(),
    "bert": {"checkpoints"},
    "tokens": {"checkpoints", "bert"},
    "embeddings": TEXT,
    "neighbors": TEXT,
    "positions": TEXT,
    "encoder": TEXT,
    "contextual": TEXT | {"encoder"},
    "calibration": TEXT | {"encoder", "contextual", "neighbors", "senses", "csv_files"},
    "senses": TEXT | {"encoder", "contextual"},
    "claims": TEXT
    | {"embeddings", "neighbors", "encoder", "contextual", "calibration", "senses", "positions"},
    "figures": set(),
    "hall": set(),
    "npz_files": {"csv_files"},
    "check": TEXT | {"embeddings", "encoder", "contextual", "app_folder"},
    "vector_files": TEXT | {"senses"},
    "corpus": TEXT | {"encoder", "contextual", "senses", "vector_files", "process"},
    "model_memory": TEXT | {"encoder"},
    "shared": TEXT | {"encoder", "model_memory", "turns"},
    "views": TEXT
    | {"embeddings", "neighbors", "positions", "encoder", "contextual", "calibration", "senses"}
    | {"claims", "corpus", "vector_files", "figures", "shared"}
    | {"csv_files", "npz_files", "file_names"},
    "command": TEXT
    | {"app_folder", "check", "csv_files", "npz_files", "encoder", "contextual", "senses", "corpus"}
    | {"process"},
}
OF_NO_PAGE = {"forms"}  # of all pages
ROOMS_OF_PAGES = {
    path.name for path in UI.iterdir() if (path / "__init__.py").is_file()
} - OF_NO_PAGE
OF_ALL = {"tour", "browser", "bounds"}  # their bar, styles and limits are on every page
HEAVY = {"torch", "transformers", "sentence_transformers", "sklearn"}


class Imports(NamedTuple):
    """What a file imports: anywhere, when it is imported itself, and for its types only."""

    anywhere: list[str]
    top: list[str]
    for_types: list[str]


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> Imports:
    tree = tree_of(path)
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    for_types = [
        node for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]  # fmt: skip
    return Imports(
        imports(tree),
        [name for node in top for name in imports(node)],
        [name for node in for_types for name in imports(node)],
    )


def imports(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def roots(names: Iterable[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def of_ours(names: list[str]) -> list[tuple[str, ...]]:
    """The modules of the core among imported names, as parts of their paths."""
    return [tuple(name.split(".")[1:]) for name in names if name.startswith("bertviz_core.")]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_module(path: Path) -> None:
    parts = path.relative_to(CORE).with_suffix("").parts
    room = parts[0]
    names, top, for_types = imports_of(path)
    assert not roots(top) & HEAVY, "torch, transformers and scikit-learn are imported when needed"
    if room != "encoder":
        running = set(names).difference(for_types)
        assert not roots(running) & {"torch", "transformers"}, "only encoder/ runs the model"
    if room != "ui":
        assert "streamlit" not in roots(names), "only ui/ and the pages know Streamlit"
    if room not in ("figures", "views", "ui"):
        assert "plotly" not in roots(names), "only figures/, views/ and ui/ know Plotly"
    assert ("views", "program_functions") not in {name[:2] for name in of_ours(names)}
    if room != "ui":
        used = {name[0] for name in of_ours(names)} - OF_EVERY_ROOM
        allowed = ALLOWED.get(room, set()) | {room}
        assert used <= allowed, f"{room} may import {sorted(allowed)}"
    else:
        own = {parts[1]} & ROOMS_OF_PAGES
        used = {name[1] for name in of_ours(names) if name[0] == "ui" and len(name) > 1}
        others = (used & ROOMS_OF_PAGES) - own - (OF_ALL if parts[1] == "frame" else set())
        assert not others, "a page's room uses ui/'s own files and the core, no other page's room"


def test_no_module_imports_itself_in_a_circle() -> None:
    """Also not by way of an import inside a function."""
    known = {".".join(("bertviz_core", *path.relative_to(CORE).with_suffix("").parts))
             .removesuffix(".__init__"): path for path in MODULES}  # fmt: skip
    leads: dict[str, set[str]] = {}
    for name, path in known.items():
        named = imports_of(path).anywhere
        leads[name] = {
            found for module in named
            if (found := module if module in known else module.rpartition(".")[0]) in known
        } - {name}  # fmt: skip
    circles = []
    while free := {name for name, to in leads.items() if not to & leads.keys()}:
        leads = {name: to for name, to in leads.items() if name not in free}
    circles = sorted(leads)
    assert not circles


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page(path: Path) -> None:
    tree = tree_of(path)
    names = imports(tree)
    assert roots(names) <= {"streamlit", "bertviz_core"}
    assert not any(name.startswith("pages") for name in names)
    forbidden = (
        ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.Try | ast.For
    )
    found = [type(node).__name__ for node in ast.walk(tree) if isinstance(node, forbidden)]
    assert not found, f"a page asks and shows; found {found}"
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not {name for name in called if "cache" in name or "from_pretrained" in name}
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 90


def test_every_page_is_in_the_sidebar() -> None:
    from bertviz_core.ui.frame import pages

    # A phone of a hall is shown one question, and no list.
    listed = [path for path in PAGES if not path.stem.endswith("_Hall")]
    assert [entry.script for entry in pages()] == [str(path.relative_to(ROOT)) for path in listed]
    assert all(entry.icon.startswith(":material/") and entry.about for entry in pages())


def test_user_text_goes_through_one_module() -> None:
    """Markdown and HTML with a value in it are written in html, links, frame, draw."""
    for path in [*PAGES, *sorted(UI.rglob("*.py"))]:
        source = path.read_text(encoding="utf-8")
        assert "unsafe_allow_html" not in source
        if path.stem in ("html", "links", "frame", "chips", "slots", "draw"):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "st.html", "st.markdown", "st.write", "st.error", "st.warning", "st.info",
            ):  # fmt: skip
                assert all(isinstance(arg, ast.Constant) for arg in node.args), ast.unparse(node)


def test_files_and_folders_stay_small() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in OURS
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert not long
    full = {
        str(folder.relative_to(ROOT)): count
        for folder in {path.parent for path in [*MODULES, PROGRAM_FUNCTIONS]}
        if (count := sum(path.is_file() for path in folder.iterdir())) > 16
    }
    assert not full

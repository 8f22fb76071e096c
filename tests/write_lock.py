"""`make lock`: write the lock files anew, from requirements.txt.

requirements.lock holds what a fresh environment takes on any system, down to the last package, with
the hashes of all files that the package index has of it: nothing else can be installed. torch is in
one of two others: its CPU build, which another source than the package index gives, and on Linux
the build for graphics cards with gigabytes of libraries. pip is asked for the first one first; in
one file with the second it would not take it.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
CPU_LOCK, TORCH_LOCK = ROOT / "requirements-torch-cpu.lock", ROOT / "requirements-torch.lock"
# pip itself, and what builds the project, which `make run` installs without looking any further.
PIP, BUILD = "pip==26.3", ("hatchling", "editables")
OF_TORCH = ("torch", "nvidia-", "cuda-", "triton")
HEADER = """\
# {about}
# Written by `make lock` from requirements.txt; not by hand.
"""


def main() -> None:
    """Resolve, look at the torch of this machine, write."""
    asked = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    of_tests = (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    asked += [PIP, *(line for line in of_tests if line.startswith(BUILD))]
    entries = entries_of(resolved("\n".join(asked)))
    of_torch = {name for name in entries if name.startswith(OF_TORCH)}
    write(LOCK, "What the app is installed with, but for torch.", set(entries) - of_torch, entries)
    write(TORCH_LOCK, "torch of the package index, and what it needs on Linux.", of_torch, entries)
    (torch,) = (line for line in asked if line.startswith("torch=="))
    if digest := hash_at_hand(f"{torch}+cpu"):
        entry = f"{torch}+cpu \\\n    --hash=sha256:{digest}\n"
        write(CPU_LOCK, "torch's CPU build, from elsewhere.", {"torch"}, {"torch": entry})


def resolved(requirements: str) -> str:
    """All versions and hashes, for every system and Python that pyproject.toml names."""
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", "-", "--quiet", "--no-config"),
        *("--universal", "--python-version", "3.11", "--generate-hashes"),
        *("--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"),
    ]
    done = subprocess.run(
        command, input=requirements, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


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

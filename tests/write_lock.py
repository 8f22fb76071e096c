"""`make lock`: write requirements.lock and requirements-cuda.lock anew, from requirements.txt.

The first holds what a fresh environment takes on any system, down to the last package, with the
hashes of all files that the package index has of it: nothing else can be installed. The second is
what torch's build for graphics cards needs besides, on Linux; where the CPU build is installed,
nobody wants its gigabytes.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LOCK, CUDA_LOCK = ROOT / "requirements.lock", ROOT / "requirements-cuda.lock"
# pip itself, and what builds the project, which `make run` installs without looking any further.
PIP, BUILD = "pip==26.3", ("hatchling", "editables")
OF_CUDA = ("nvidia-", "cuda-", "triton")
HEADER = """\
# {about}
# Written by `make lock` from requirements.txt; not by hand.
"""


def main() -> None:
    """Resolve, add the torch of this machine, write."""
    asked = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    of_tests = (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    asked += [PIP, *(line for line in of_tests if line.startswith(BUILD))]
    entries = entries_of(resolved("\n".join(asked)))
    torch = re.search(r"torch==([^ ]+)", entries["torch"])
    assert torch is not None
    entries["torch"] = with_hash(entries["torch"], hash_at_hand(f"torch=={torch[1]}"))
    cuda = {name for name in entries if name.startswith(OF_CUDA)}
    write(LOCK, "What the app is installed with.", set(entries) - cuda, entries)
    write(CUDA_LOCK, "What torch's CUDA build needs besides, on Linux.", cuda, entries)


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


def hash_at_hand(requirement: str) -> str:
    """SHA-256 of the file that pip takes here: its torch may be a CPU build from elsewhere."""
    with TemporaryDirectory() as folder:
        subprocess.run(
            [*(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"), requirement],
            cwd=folder,
            check=True,
        )
        (file,) = Path(folder).iterdir()
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()


def with_hash(entry: str, digest: str) -> str:
    """The lines of a package with one hash more, if it is not among them."""
    if digest in entry:
        return entry
    return f"{entry.rstrip()} \\\n    --hash=sha256:{digest}\n"


def write(path: Path, about: str, names: set[str], entries: dict[str, str]) -> None:
    """Put some packages into a file, by the alphabet."""
    text = "".join(entries[name] for name in sorted(names))
    path.write_text(HEADER.format(about=about) + text, encoding="utf-8")


if __name__ == "__main__":
    main()

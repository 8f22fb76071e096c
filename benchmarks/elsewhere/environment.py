"""Environments of other software: made once of pinned packages, kept, and asked by programs.

    EXAMPLE = Software("lancedb 0.40.0", ("lancedb==0.40.0", "pyarrow==26.0.1"), PROGRAM)
    for software, answer in answers([EXAMPLE], {"rows": [[0.0, 1.0]]}):
        ...

A program finds what it is given in `given` and leaves what it found in `answer`, both of what JSON
has (NumPy arrays become lists). One for npm is a module of JavaScript with the same two names.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "bert-elsewhere")
# Named wherever torch is needed, and installed before what would bring another build of it.
TORCH = "torch==2.13.0"
MAX_INSTALL, MAX_RUN = 1_800, 1_800  # seconds
# Nothing is fetched while programs run; they see no package of this project's environment. One
# thread: several spin while they wait for a core that others have.
QUIET = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONWARNINGS": "ignore"}
QUIET |= {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": "", "OMP_NUM_THREADS": "1"}
IN_PYTHON = """
import json, runpy, sys
answer = runpy.run_path(sys.argv[1], {"given": json.load(open(sys.argv[2]))})["answer"]
json.dump(answer, open(sys.argv[3], "w"), default=lambda array: array.tolist())
"""
IN_JAVASCRIPT = """
import {{ readFileSync, writeFileSync }} from "node:fs";
const given = JSON.parse(readFileSync(process.argv[2]));
{program}
writeFileSync(process.argv[3], JSON.stringify(answer));
"""


@dataclass(frozen=True)
class Chosen:
    """What the command was asked for."""

    folder: Path = CACHE
    only: str = ""


CHOSEN = Chosen()


class NotAtHandError(Exception):
    """Software that could not be installed, or whose program failed; the last line says why."""


@dataclass(frozen=True)
class Software:
    """One line of a table: a name with its version, pinned packages, and what is asked of them."""

    name: str
    packages: tuple[str, ...]
    program: str
    why: str = ""
    npm: bool = False

    @cached_property
    def folder(self) -> Path:
        """Its environment; software with the same packages shares one."""
        first = re.sub(r"[^\w.]+", "-", self.packages[0]).strip("-")
        packages = json.dumps([self.packages, self.npm, sys.version_info[:2]])
        return CHOSEN.folder / f"{first}-{hashlib.sha256(packages.encode()).hexdigest()[:8]}"

    def ask(self, given: Any) -> Any:
        """Run the program; its environment is made if there is none yet."""
        done = self.folder / "done.json"
        if not done.exists():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            (self._install_npm if self.npm else self._install_python)()
            done.write_text(json.dumps(self.packages), encoding="utf-8")
        with tempfile.TemporaryDirectory() as scratch:
            into, out = Path(scratch) / "given.json", Path(scratch) / "answer.json"
            into.write_text(json.dumps(given), encoding="utf-8")
            if self.npm:  # beside node_modules, where it finds its packages
                digest = hashlib.sha256(self.program.encode()).hexdigest()[:8]
                file = self.folder / f"program-{digest}.mjs"
                file.write_text(IN_JAVASCRIPT.format(program=self.program), encoding="utf-8")
                command: list[str | Path] = ["node", file]
            else:
                file = Path(scratch) / "program.py"
                file.write_text(self.program, encoding="utf-8")
                command = [self.folder / "bin" / "python", "-c", IN_PYTHON, file]
            _run([*command, into, out], scratch, MAX_RUN)
            return json.loads(out.read_text(encoding="utf-8"))

    def _install_python(self) -> None:
        python = self.folder / "bin" / "python"
        venv = (sys.executable, "-m", "venv", "--without-pip", self.folder)
        _run(venv, self.folder, MAX_INSTALL)
        if self.packages[1:] and TORCH in self.packages:  # once for all, and read from there
            torch = Software(TORCH, (TORCH,), "import torch; answer = torch.__path__[0]").ask(None)
            (site,) = self.folder.glob("lib/*/site-packages")
            (site / "torch.pth").write_text(str(Path(torch).parent), encoding="utf-8")
        pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet")
        _run([*pip, "--no-compile", *self.packages], self.folder, MAX_INSTALL)

    def _install_npm(self) -> None:
        (self.folder / "package.json").write_text("{}", encoding="utf-8")
        # No scripts: what they would download is no package.
        install = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact")
        _run([*install, *self.packages], self.folder, MAX_INSTALL)


def answers(every: Iterable[Software], given: Any) -> Iterator[tuple[Software, Any]]:
    """What each answers, one after the other. What is not at hand is left out, and said."""
    for software in every:
        if CHOSEN.only in software.name.casefold():
            try:
                yield software, software.ask(given)
            except NotAtHandError as error:
                print(f"{software.name}: left out: {error}", file=sys.stderr, flush=True)


def _run(command: Sequence[str | Path], folder: str | Path, seconds: float) -> None:
    environment = os.environ | QUIET
    try:
        subprocess.run(
            command, cwd=folder, env=environment, check=True, capture_output=True, text=True,
            timeout=seconds,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise NotAtHandError(f"there is no {command[0]}") from error
    except subprocess.TimeoutExpired as error:
        raise NotAtHandError(f"no end after {seconds} s") from error
    except subprocess.CalledProcessError as error:
        lines = [line for line in (error.stdout + error.stderr).splitlines() if line.strip()]
        said = [line for line in lines if "Error" in line or "ERROR" in line] or lines or [""]
        raise NotAtHandError(said[-1][:300]) from error

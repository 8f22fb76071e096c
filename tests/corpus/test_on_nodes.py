"""The command on a cluster of two nodes, of which one is lost; skipped without Ray."""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.app_server import ROOT
from benchmarks.ray_nodes import one_node, switch_off
from bertviz_core.corpus.part_files import begun
from bertviz_core.corpus.run import in_process, run
from bertviz_core.corpus.work import Worker
from bertviz_core.disk_cache import UNFINISHED
from bertviz_core.encoder import Encoder
from tests.corpus.small_job import content

LINES = [f"{n} times the bank of the river was shut, and the other bank too" for n in range(1_200)]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="no Ray")
def test_a_node_that_is_lost_loses_nothing_and_counts_nothing_twice(
    minilm_encoder: Encoder, tmp_path: Path
) -> None:
    """In an account that has used Ray before: its clusters want its token, if asked to or not."""
    corpus, found, expected = (tmp_path / name for name in ("lines.txt", "found", "expected"))
    corpus.write_text("\n".join(LINES), encoding="utf-8")
    token = tmp_path / ".ray" / "auth_token"
    token.parent.mkdir()
    token.write_text("ab" * 32, encoding="utf-8")
    account = {name: text for name, text in os.environ.items() if not name.startswith("RAY_")}
    account |= {"HOME": str(tmp_path)}
    with_token = account | {"RAY_AUTH_MODE": "token"}
    command = [*(sys.executable, "-m", "bertviz_core.command.main", "occurrences", "bank")]
    command += ["--corpus", str(corpus), "--out", str(found), "--part-mb", "0.01", "--layers", "6"]
    with (
        one_node(environment=account) as (address, _),
        one_node(address, environment=with_token) as (_, second),
        subprocess.Popen(
            [*command, "--ray", address], cwd=ROOT, env=with_token,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as running,
    ):  # fmt: skip
        while len(list(found.glob(f"*{UNFINISHED}"))) < 2:  # each node is at work on a part
            assert running.poll() is None, running.communicate()
            time.sleep(0.01)
        switch_off(second)
        said, _ = running.communicate(timeout=120)
    assert running.returncode == 0, said
    job = begun(found)
    assert job is not None
    total = run(job, expected, runner=in_process(Worker(job, expected, minilm_encoder))).total
    assert total.occurrences == 2 * len(LINES)
    assert f"{total.occurrences:,} occurrences" in said
    assert content(found) == content(expected)
    assert not list(found.glob(f"*{UNFINISHED}"))

"""Nodes of a Ray cluster, all on this machine, each as `ray start` makes it and with one core."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.app_server import free_port

HERE = "127.0.0.1"
MAX_WAIT = 90.0  # seconds


@contextmanager
def one_node(
    head: str = "", environment: Mapping[str, str] | None = None
) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    """Run a node, the head of a new cluster or one more of `head`'s, until the block ends.

    Yields the head's address, and the process, in whose group all of the node runs. `environment`
    replaces this process's.
    """
    address = head or f"{HERE}:{free_port()}"
    command = [
        *(Path(sys.executable).parent / "ray", "start", "--block", "--disable-usage-stats"),
        *("--node-ip-address", HERE, "--num-cpus", "1", "--num-gpus", "0"),
        *("--object-store-memory", "80000000", "--dashboard-agent-listen-port", str(free_port())),
        *(("--address", head) if head else ("--head", "--port", address.split(":")[1])),
    ]
    with tempfile.NamedTemporaryFile() as log:
        node = subprocess.Popen(
            command, stdout=log, stderr=log, start_new_session=True,
            env=environment,
        )  # fmt: skip
        try:
            _wait_for(node, Path(log.name))
            yield address, node
        finally:
            node.terminate()
            with suppress(subprocess.TimeoutExpired):
                node.wait(20)
            switch_off(node)


def switch_off(node: "subprocess.Popen[bytes]") -> None:
    """End all processes of a node at once, as if its machine had lost its power."""
    with suppress(ProcessLookupError):
        os.killpg(node.pid, signal.SIGKILL)
    node.wait()


def _wait_for(node: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + MAX_WAIT
    while b"Ray runtime started" not in (said := log.read_bytes()):
        if node.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"no node of Ray: {said[-1_000:].decode(errors='replace')}")
        time.sleep(0.1)

"""What threads have freed is returned to the system."""

import platform

import pytest

from bertviz_core.heaps import map_large_arrays
from tests.fresh_process import printed_by

# Eight threads at once, each with arrays of 8 MB that come and go, as between two layers.
HELD = """
import threading
import numpy as np
from bertviz_core.heaps import map_large_arrays
{bound}
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6

def work():
    for _ in range(3):
        several = [np.ones(1_000_000) for _ in range(6)]
    several.clear()
    done.wait()
    ended.wait()

done, ended = threading.Barrier(9), threading.Barrier(9)
np.ones(4_000_000)
before = resident()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
done.wait()
print(resident() - before)
ended.wait()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps heaps by thread")
def test_what_threads_freed_is_returned() -> None:
    held = float(printed_by(HELD.format(bound="")))
    bound = float(printed_by(HELD.format(bound="assert map_large_arrays()")))
    assert bound < 20 < held


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())
    assert not map_large_arrays()

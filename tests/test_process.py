"""What threads have freed is returned to the system; the process may open many files."""

import platform

import pytest

from tests.fresh_process import printed_by

RESIDENT = """
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6
"""
# Eight threads at once, each with arrays of 8 MB that come and go, as between two layers.
HELD = """
import threading
import numpy as np
from bertviz_core.process import map_large_arrays
{bound}
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
    held = float(printed_by(RESIDENT + HELD.format(bound="")))
    bound = float(printed_by(RESIDENT + HELD.format(bound="map_large_arrays()")))
    assert bound < 20 < held


def test_unused_objects_are_freed_though_they_were_set_aside() -> None:
    """In a process of its own: while another thread collects, a collection does nothing."""
    left = printed_by("""
import gc, weakref
from bertviz_core.process import collect_and_freeze
class Node: pass
node = Node()
node.own = node  # only a search finds out that it is unused
left = weakref.ref(node)
collect_and_freeze()
del node
gc.collect()
print(left() is not None, end=" ")
collect_and_freeze()
print(left() is None)
""")
    assert left == "True True"


def test_the_process_is_set_up_once_however_often_pages_ask() -> None:
    """Many files may be open, a thread that waits is not kept waiting, one thread tidies up."""
    printed = printed_by("""
import resource, sys, threading
from bertviz_core.process import FILES, SWITCH, set_up_process
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
before = threading.active_count()
for _ in range(3):
    set_up_process(list)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(FILES, hard), end=" ")
print(abs(sys.getswitchinterval() - SWITCH) < 1e-6, threading.active_count() - before)
""")
    assert printed == "True True 1"

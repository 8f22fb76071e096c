"""The process: where the app's files lie, what memory, files and threads it takes."""

import ctypes
import gc
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# app.py, pages/, .streamlit/ and what pages read from docs/: beside the package in a clone, inside
# it in a wheel (`force-include` in pyproject.toml), where site-packages is not ours.
_PACKAGE = Path(__file__).parent
APP_FOLDER = _PACKAGE / "app" if (_PACKAGE / "app").is_dir() else _PACKAGE.parent

# Of glibc's malloc.h. Once a large array was freed, arrays of its size are no longer mapped by
# themselves but taken from the heap of the thread, up to eight a processor, and what is freed there
# stays there. https://sourceware.org/bugzilla/show_bug.cgi?id=11261, seen with glibc 2.36: seven
# maps of 2,000 occurrences left 970 MB. Fewer heaps would save a little more, but threads wait for
# one another at them: 30 viewers waited twice as long.
_MMAP_THRESHOLD = -3
MAPPED = 2_000_000  # bytes from which an array is mapped by itself, and returned when it is freed
NO_GLIBC = (AttributeError, OSError, TypeError)  # other C libraries know none of its functions


def map_large_arrays(least: int = MAPPED) -> None:
    """Have arrays of so many bytes mapped by themselves; call it before anything is computed."""
    with suppress(*NO_GLIBC):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, least)


def return_freed_memory() -> None:
    """Give freed memory between pieces in use back to the system."""
    with suppress(*NO_GLIBC):
        ctypes.CDLL(None).malloc_trim(0)


# After 30 viewers for a while (`benchmarks/crowd.py`) 90 of 799 MB were free and not given back.
TIDY_EVERY = 10.0  # seconds; soon after the first visits, which import most modules
# With 100 viewers Python's garbage collector ran every ten seconds over all objects, and everybody
# waited 0.25 s. Most objects belong to modules, which stay: frozen, they are not looked at.
FULLY = 30  # rounds after which the frozen ones are looked at again


def _tidy_for_ever(drop_unused: Callable[[], object]) -> None:
    modules = 0
    for number in count():
        time.sleep(TIDY_EVERY)
        drop_unused()
        if number % FULLY == 0 or len(sys.modules) > modules:
            modules = len(sys.modules)
            collect_and_freeze()
        return_freed_memory()


def collect_and_freeze() -> None:
    """Run the garbage collector; later runs look at objects made since then only."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


# A session of Streamlit 1.67 holds four files: its socket and the three of an event loop. The usual
# bound of 1,024 would end at 250 sessions, and every further visitor would find the server closed.
FILES = 16_384


def open_more_files() -> None:
    """Raise the number of files this process may open to 16,384, or as far as it may."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= FILES:
        return
    limit = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    with suppress(ValueError, OSError):  # macOS has a further bound of its own
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


# A pass of the model gives the interpreter back at each call of torch, and then waits for it up
# to this long: beside two runs of pages that compute it takes 0.6 s with Python's own 5 ms, now 0.1
# (`benchmarks/senses.py`).
SWITCH = 0.0005  # seconds after which a thread that computes gives it to one that waits
_set_up = threading.Lock()  # taken by the first call, and kept


def set_up_process(drop_unused: Callable[[], object]) -> None:
    """Prepare this process to serve many viewers: memory, open files, threads. Once: call it often.

    From then on, every ten seconds, `drop_unused` is called and freed memory is given back.
    """
    if not _set_up.acquire(blocking=False):
        return
    map_large_arrays()
    open_more_files()
    sys.setswitchinterval(SWITCH)
    tidy = threading.Thread(target=_tidy_for_ever, args=[drop_unused], name="tidy", daemon=True)
    tidy.start()

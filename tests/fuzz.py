"""What the property tests share: hostile inputs, how many of them, and what any answer owes.

`make fuzz` (`HYPOTHESIS_PROFILE=fuzz`) takes 20,000 examples, `BERTVIZ_EXAMPLES=500` as many as it
says. In CI the same examples come each time; in `make fuzz` others each time.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from bertviz_core.errors import UserInputError
from tests.hostile import HOSTILE

Damage = Callable[[bytes], bytes]

SECONDS, MEGABYTES = 5, 200  # of the processor, and more than before: for one input
MEMORY = Path("/proc/self/clear_refs")  # of Linux
_FUZZ = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
_EXAMPLES = int(os.environ.get("BERTVIZ_EXAMPLES", 20_000 if _FUZZ else 0))


def examples(in_ci: int, share: float = 1) -> settings:
    """Settings of a property test; several tests may each take a share of the 20,000."""
    return settings(
        max_examples=max(round(_EXAMPLES * share), 1) if _EXAMPLES else in_ci,
        deadline=None,
        derandomize=not _FUZZ,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


CALLS = examples(150)  # of functions
FILES = examples(60)  # of tests that write files for each example


@contextmanager
def answers() -> Iterator[None]:
    """Hold the code inside to the promise: a result or a sentence, in bounded time and memory.

    Processor time counts, as other tests may run beside. Memory is the highest that the process
    has had meanwhile, as Linux tells it; elsewhere it is not looked at.
    """
    if MEMORY.exists():
        MEMORY.write_text("5")  # the peak begins again at what is held now
    before, began = _peak(), time.process_time()
    try:
        yield
    except UserInputError as error:
        assert str(error)  # noqa: PT017
    taken, more = time.process_time() - began, (_peak() - before) / 1e3
    assert taken < SECONDS, f"{taken:.1f} s"
    assert more < MEGABYTES, f"{more:.0f} MB"


def _peak() -> int:
    """Most memory the process has had, in kilobytes; 0 where nobody tells."""
    if not MEMORY.exists():
        return 0
    return int(MEMORY.with_name("status").read_text().partition("VmHWM:")[2].split()[0])


# What text functions trip over: halves of pairs, controls, accents, directions, signs of our own.
_SIGNS = (
    *("\ud83d", "\udc0d", "\x00", "\x07", "\x1b[31m", "\u0301", "\u202e", "\u200d", "\ufeff"),
    *(" ", "  ", "\t", "\n", "\r", "\x0b", "\x85", "\u2028", "\u3000", "[", "]", "\\", "\\["),
    *("+", "-", " + ", " - ", "−", "##", "#", ",", ".", "!", "'", "=", "<b>", "$x$", "0", "-1"),
    *("ß", "İ", "ﬁ", "é", "天", "ﷺ", "שלום", "مرحبا", "👩‍👩‍👧", "🐍", "１", "Ⅷ", "ǅ"),
    *("[MASK]", "[SEP]", "[UNK]", "[cat]", "[python]", "cat", "dog", "the", "ing", "zq", "CAT"),
)


# The longest texts take up to a second each; CI tries those that once took too long by name.
MAX_LENGTH = 100_000 if _FUZZ else 1_000


def texts(longest: int = MAX_LENGTH) -> st.SearchStrategy[str]:
    """Texts of any kind: short mixtures of what is awkward, and long repetitions of them."""
    pieces = st.one_of(st.sampled_from(_SIGNS), st.text(max_size=4))
    mixed = st.lists(pieces, max_size=25).map("".join)
    sizes = st.sampled_from([100, 100, 100, 600, 600, 600, 5_000, longest])
    repeated = st.builds(lambda text, size: (text * size)[:size], mixed, sizes)
    hostile = st.sampled_from(HOSTILE)
    return st.one_of(mixed, mixed, mixed, hostile, repeated).map(lambda text: text[:longest])


def whole_numbers() -> st.SearchStrategy[int]:
    """Indices, counts and layers: most near 0, some far outside of anything."""
    far = st.sampled_from([10**9, -(10**9), 2**31, 2**63, -(2**63), 10**30])
    return st.one_of(st.integers(-3, 40), st.integers(-3, 40), far)


def damage() -> st.SearchStrategy[Damage]:
    """Ways to damage a file: some bytes changed, then perhaps cut off or made longer."""
    changes = st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 255)), max_size=4)
    ends = st.one_of(st.none(), st.integers(0, 2**20), st.binary(max_size=8))
    return st.builds(partial, st.just(_damaged), changes, ends)


def _damaged(changes: list[tuple[int, int]], end: int | bytes | None, whole: bytes) -> bytes:
    content = bytearray(whole) or bytearray(1)
    for index, byte in changes:
        content[index % len(content)] = byte
    if isinstance(end, int):
        del content[end % len(content) :]
    return bytes(content) + (end if isinstance(end, bytes) else b"")

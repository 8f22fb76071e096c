"""How many examples the property tests take: a few in CI, many by the profile "fuzz".

`HYPOTHESIS_PROFILE=fuzz` takes 20,000, `BERTVIZ_EXAMPLES=500` as many as it says.
"""

import os
from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

Damage = Callable[[bytes], bytes]

_FUZZ = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
EXAMPLES = int(os.environ.get("BERTVIZ_EXAMPLES", 20_000 if _FUZZ else 100))

# For tests that write each example to the same file: a fixture need not be made anew.
FILES = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not _FUZZ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def damage() -> st.SearchStrategy[Damage]:
    """Ways to damage a file: some bytes changed, then perhaps cut off or made longer."""
    changes = st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 255)), max_size=4)
    ends = st.one_of(st.none(), st.integers(0, 2**20), st.binary(max_size=8))
    return st.builds(_Damage, changes, ends)


class _Damage:
    def __init__(self, changes: list[tuple[int, int]], end: int | bytes | None) -> None:
        self.changes = changes
        self.end = end

    def __call__(self, whole: bytes) -> bytes:
        content = bytearray(whole) or bytearray(1)
        for index, byte in self.changes:
            content[index % len(content)] = byte
        if isinstance(self.end, int):
            del content[self.end % len(content) :]
        return bytes(content) + (self.end if isinstance(self.end, bytes) else b"")

    def __repr__(self) -> str:
        return f"damage({self.changes}, {self.end!r})"

"""Have memory that is free returned to the system, on a server with many threads."""

import ctypes

# Of glibc's malloc.h. Each thread of a run takes a heap of its own, up to eight a processor, and
# what is freed in one stays there; and once a large array was freed, arrays of its size are no
# longer mapped, but kept in such a heap. https://sourceware.org/bugzilla/show_bug.cgi?id=11261,
# seen with glibc 2.36: seven maps of 2,000 occurrences left 970 MB, and leave 550 like this.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
HEAPS = 2
MAPPED = 2_000_000  # bytes from which an array is mapped by itself, and returned when it is freed


def bound_heaps() -> bool:
    """Set both for this process; call it before threads begin.

    Returns:
        Whether it took effect; another C library than glibc needs, and knows, neither.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(_ARENA_MAX, HEAPS) and mallopt(_MMAP_THRESHOLD, MAPPED))

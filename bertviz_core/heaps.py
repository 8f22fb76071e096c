"""Large arrays go back to the system when they are freed, whichever thread made them."""

import ctypes

# Of glibc's malloc.h. Once a large array was freed, arrays of its size are no longer mapped by
# themselves but taken from the heap of the thread, up to eight a processor, and what is freed there
# stays there. https://sourceware.org/bugzilla/show_bug.cgi?id=11261, seen with glibc 2.36: seven
# maps of 2,000 occurrences left 970 MB. Fewer heaps would save a little more, but threads wait for
# one another at them: 30 viewers waited twice as long.
_MMAP_THRESHOLD = -3
MAPPED = 2_000_000  # bytes from which an array is mapped by itself, and returned when it is freed


def map_large_arrays() -> bool:
    """Have arrays of 2 MB and more mapped by themselves; call it before anything is computed.

    Returns:
        Whether it took effect; another C library than glibc does not know it.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(_MMAP_THRESHOLD, MAPPED))

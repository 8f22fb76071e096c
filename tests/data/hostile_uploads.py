"""Files that a visitor may upload to take the server down; tests make them, none is stored."""


def one_long_line(size: int) -> bytes:
    """A text of one line, `bank bank bank`: every occurrence stands in the same long line."""
    return b"bank " * (size // 5)

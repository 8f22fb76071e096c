"""Tables of vectors, CSV and TSV: what is read, and what is refused in a sentence."""

import io
import time

import numpy as np
import pytest

from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import LONGEST_SENTENCE
from bertviz_core.vector_files import Opened, read
from tests.data.vector_files import SENTENCES, numbers, table_file
from tests.fuzz import answers

VECTORS = numbers(4)
HEADER = b"sentence,start,end,layer_0_0\n"
WIDE = ",".join(f"layer_0_{number}" for number in range(1_536)).encode()


def opened(content: bytes, word: str | None = None, most: int = 2_000) -> Opened:
    return read(io.BytesIO(content), word, most)


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "BOM"])
def test_all_that_it_may_hold(delimiter: str, mark: bytes) -> None:
    content = mark + table_file(
        VECTORS,
        (3, 9),
        delimiter,
        word=["bank", "go", "bank", "bank"],
        sense=["river", "", "money", None],
        year=[1900, 1901, None, 1903],
        author=["a, b; c", "<b>", 'a "c"', None],
    )
    found = opened(content)
    assert (found.word, found.model, found.pooling) == ("bank", "unknown", "unknown")
    assert (found.counts, found.layers) == ({"bank": 3, "go": 1}, (3, 9))
    assert np.array_equal(found.found.vectors, VECTORS[[0, 2, 3]])
    assert not found.found.vectors.flags.writeable
    assert [one.sense for one in found.found.occurrences] == ["river", "money", None]
    assert [one.sentence for one in found.found.occurrences] == [
        SENTENCES[row] for row in (0, 2, 3)
    ]
    assert found.columns == {"year": (1900.0, None, 1903.0), "author": ("a, b; c", 'a "c"', None)}
    assert opened(content, "go").columns["author"] == ("<b>",)
    assert opened(content, "never").word == "bank"
    few = opened(content, most=2)
    assert (len(few.found.occurrences), few.total) == (2, 3)


def test_as_little_as_it_needs() -> None:
    """Numbers of rows as pandas writes them, columns in any order, lines of Windows, empty ones."""
    content = b",layer_0_1,end,layer_0_0,start,sentence\r\n0,.5,6,-1e-1,2,a bank\r\n\r\n"
    found = opened(content + b"1,2,1,1,0,a bank\n\n")
    assert (found.word, found.counts, found.layers) == ("bank", {"bank": 2}, (0,))
    assert found.found.vectors.tolist() == [[[np.float32(-0.1), 0.5]], [[1, 2]]]
    assert [one.word for one in found.found.occurrences] == ["bank", "a"]
    assert [one.line for one in found.found.occurrences] == [1, 1]  # the same sentence
    assert found.columns == {}
    empty = opened(HEADER)
    assert (empty.word, empty.total, empty.found.vectors.shape) == ("", 0, (0, 1, 1))


def changed(row: str, header: str = "sentence,start,end,layer_0_0") -> bytes:
    return f"{header}\na bank,2,6,1\n{row}\n".encode()


@pytest.mark.parametrize(
    "content",
    [
        *map(changed, ("a bank,2,6", "a bank,2,6,1,", "a bank,2.5,6,1", "a bank,2,,1")),
        *map(changed, ("a bank,2,6,", 'a bank,2,6,"0,5"', "a bank,2,6,nan", "a bank,2,6,1e300")),
        *map(changed, ("a bank,2,9,1", "a bank,-1,6,1", '"a bank,2,6,1', "a" * 1_000_000)),
        changed(f"{'a' * 200_000},2,6,1"),
        changed(f"{'a ' * 2_000},0,{LONGEST_SENTENCE + 1},1"),
        *(
            changed("", f"sentence,start,{further}")
            for further in (
                *("start,layer_0_0", "ende,layer_0_0", "end,layer_0", "end,layer_0_1"),
                *("end,layer_0_0,layer_3_1", "end,layer_0_9999"),
                "end," + ",".join(f"layer_{n}_0" for n in range(65)),
                "end,layer_0_0," + ",".join(f"c{n}" for n in range(41)),
            )
        ),
        *(b"", b"\0" * 50, b"PAR1" + bytes(50), b"\xff\xfes\0e\0n\0"),
        changed("a \u00e9,2,3,1").decode().encode("latin-1"),
    ],
    ids=lambda value: "",
)
def test_what_does_not_fit_is_said(content: bytes) -> None:
    with answers(), pytest.raises(UserInputError) as raised:
        opened(content)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (HEADER + b"," * 5_000_000, "a line of 1,000,000 characters"),
        (HEADER + b"a,0,1,0\n" * 1_000_001, "up to 1,000,000 can be read"),
        (HEADER + b"\n" * 1_000_002, "up to 1,000,000 can be read"),
        (b"word," + HEADER + b"".join(b"%x,a,0,1,0\n" % n for n in range(20_000)), "20,000 words"),
        (HEADER + (b"a,0,1," + b"9" * 130_000 + b"\n") * 40, "not finite"),
        (b"sentence,start,end," + WIDE + b"\n" + (b"a,0,1" + b",0" * 1_536 + b"\n") * 1_200, ""),
    ],
    ids=["one line", "rows", "empty lines", "words", "digits", "cells"],
)
def test_many_tiny_cells_take_little(content: bytes, said: str) -> None:
    """A file is read line by line, and a line has a bound: this is no more than its vectors."""
    with answers(seconds=4, megabytes=60):
        if said:
            with pytest.raises(UserInputError, match=said):
                opened(content)
        else:
            assert opened(content).found.vectors.shape == (1_200, 1, 1_536)


def test_the_reading_can_be_ended_between_two_lines() -> None:
    end = time.monotonic() + 0.2

    def check() -> None:
        if time.monotonic() > end:
            raise UserInputError("too long")

    with pytest.raises(UserInputError, match="too long"):
        read(io.BytesIO(HEADER + b"a,0,1,0\n" * 900_000), None, 2_000, check)
    assert time.monotonic() < end + 0.5

"""Bytes to text: by a mark, as UTF-8, by a guess, or refused."""

import gzip

import pytest

from bertviz_core.decoding import GUESSES, decoded_lines, encoding_of
from bertviz_core.errors import UserInputError

# Written for this test: each in encodings in which people keep it.
TEXTS = {
    "Die Bank ist für alle da.\nEr saß auf der Bank im Park.": ("latin-1", "cp1252"),
    "ein älterer Mann": ("latin-1",),
    "He said “light” – and left.\nIt’s the bank’s.": ("cp1252",),
    "El niño se sentó.\n¿Dónde está el banco?": ("latin-1",),
    "Siedział na ławce w parku.\nByło późno i zimno.": ("cp1250",),
    "Он сидел на берегу реки.\nБанк был закрыт.": ("cp1251", "koi8-r", "utf-16-le"),
    "Η τράπεζα ήταν κλειστή.\nΚάθισε στην όχθη.": ("cp1253",),
    "Banka kapalıydı. Nehrin kıyısında oturdu.\nŞimdi çok geç, güneşli.": ("cp1254",),
    "彼は銀行に行った。\n川の土手に座った。": ("shift_jis", "utf-16-be"),
    "他去了银行。\n河岸上有很多人。": ("gb18030", "gb2312"),
    "The bank was shut.\nWe sat on the bank.": ("utf-16-le", "utf-16-be"),
}
WRITTEN = [(text, encoding) for text, encodings in TEXTS.items() for encoding in encodings]


@pytest.mark.parametrize(("text", "encoding"), WRITTEN, ids=str)
def test_a_guess_is_right_and_said(text: str, encoding: str) -> None:
    content = text.encode(encoding)
    assert encoding_of(content, "")[0] in GUESSES
    lines, said = decoded_lines(content, "x.txt")
    assert lines == text.split("\n")
    assert said.startswith("x.txt is not UTF-8; it is read as ")
    # Also where letters that tell it stand at the end of much text.
    if encoding[0] != "u":
        assert decoded_lines(b"a bank\n" * 99_999 + content)[0][-1] == lines[-1]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"], ids=lambda encoding: encoding
)
def test_nothing_is_guessed_where_bytes_tell(encoding: str) -> None:
    """A carriage return alone ends a line; U+FFFD may be written in a text."""
    written = "ä\ufffd\r\nb\rc\n\nd \U0001faea"
    assert decoded_lines(written.encode(encoding)) == (
        ["ä\ufffd", "b", "c", "", "d \U0001faea"],
        "",
    )


def test_damaged_bytes_of_utf_8_are_replaced() -> None:
    content = "Die Bänke für alle\n".encode() * 50 + b"a \xff bank"
    assert decoded_lines(content)[0][-1] == "a \ufffd bank"
    assert encoding_of("für".encode()[:-2], "") == ("UTF-8", ""), (
        "a beginning may end within a character"
    )


@pytest.mark.parametrize(
    "content", [b"GIF89a\x00\x01", b"\xff\xfe\0\0cat", b"a bank\0", gzip.compress(b"a bank" * 99)]
)
def test_what_is_not_text_is_refused(content: bytes) -> None:
    with pytest.raises(UserInputError, match="The file is not text"):
        decoded_lines(content)

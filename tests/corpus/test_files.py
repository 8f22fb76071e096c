import gzip
import os
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertviz_core.corpus.job import CorpusFile
from bertviz_core.corpus.reading.files import find_corpus, opened, source_names
from bertviz_core.errors import UserInputError


def zstd(text: bytes) -> bytes:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(text)
    return packed.getvalue().to_pybytes()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "deep" / ".hidden").mkdir(parents=True)
    (folder / "b.txt").write_text("two\n")
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(b"{}\n") + gzip.compress(b"{}\n"))
    (folder / "deep" / "c.txt.zst").write_bytes(zstd(b"one\n") + zstd(b"two\n"))
    pq.write_table(pa.table({"text": ["x", "y", "z"]}), folder / "d.parquet", row_group_size=2)
    for name in ("notes.pdf", ".secret.txt", "_SUCCESS", "deep/.hidden/e.txt"):
        (folder / name).write_text("not read")
    return folder


def names(paths: list[str], folder: Path) -> list[str]:
    return [str(Path(file.path).relative_to(folder)) for file in find_corpus(paths)]


def test_folders_patterns_and_files(corpus: Path) -> None:
    found = find_corpus([str(corpus)])
    read = ["a.jsonl.gz", "b.txt", "d.parquet", "deep/c.txt.zst"]
    assert names([str(corpus)], corpus) == read
    assert found[1] == CorpusFile(str(corpus / "b.txt"), 4, 4)
    assert [file.length for file in found] == [6, 4, 3, 8]  # unpacked bytes, or rows
    # In the order they are named, each once.
    asked = [str(corpus / "d.parquet"), str(corpus / "*.txt"), str(corpus)]
    assert names(asked, corpus) == ["d.parquet", "b.txt", "a.jsonl.gz", "deep/c.txt.zst"]
    assert names([str(corpus / "**" / "*.zst")], corpus) == ["deep/c.txt.zst"]
    (corpus / "odd[1].txt").write_text("a name with brackets is no pattern")
    (odd,) = find_corpus([str(corpus / "odd[1].txt")])
    with opened(odd) as stream:
        assert stream.read().startswith(b"a name")


@pytest.mark.parametrize(
    "name",
    ["a.html", "a.xml.gz", "a.pdf", "a.docx", "a.xlsx", "a.conll", "a.log", "README", "a.7z"],
)
def test_a_file_of_another_kind_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("<p>The bank was shut.</p>\n")
    for path in (tmp_path / name, tmp_path, tmp_path / "*"):
        with pytest.raises(
            UserInputError, match=r"kind that is read: .*\.jsonl.*\.csv.*\.gz"
        ) as refused:
            find_corpus([str(path)])
        assert str(refused.value).startswith(f"{path} ")


def test_uris(corpus: Path) -> None:
    assert names([f"file://{corpus}/b.txt"], corpus) == ["b.txt"]
    memory = fsspec.filesystem("memory")
    memory.pipe({"/here/x.txt": b"far away\n", "/here/y.txt": b"2", "/here/z.pdf": b"3"})
    found = find_corpus(["memory://here"])
    assert [file.path for file in found] == ["memory:///here/x.txt", "memory:///here/y.txt"]
    assert find_corpus(["memory://here/*.txt"]) == found
    with opened(found[0]) as stream:
        assert stream.read() == b"far away\n"


def test_what_is_not_there(corpus: Path) -> None:
    (corpus / "deep" / "c.txt.zst").unlink()  # what is left there is hidden
    gone = [corpus / "gone.txt", corpus / "*.gone", corpus / "deep", "nope://x", "", " ", "a\0b"]
    odd = [
        "data:text/plain,a",
        "zip://a.txt::b.zip",
        "zip://a.txt",
        "dir://a",
        "reference://",
        "***",
    ]
    for path in [*gone, *odd]:
        with pytest.raises(UserInputError, match=r"^\S.*\.$"):
            find_corpus([str(path)])


def test_names_that_are_not_utf8_stay_apart(tmp_path: Path) -> None:
    for name in (b"caf\xe8.txt", b"caf\xe9.txt", "café.txt".encode()):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"a")
    found = find_corpus([str(tmp_path)])
    names = ["caf\\xe8.txt", "caf\\xe9.txt", "café.txt"]
    assert sorted(source_names(found).values()) == sorted(names)
    for file in found:
        with opened(file) as stream:
            assert stream.read() == b"a"


def test_sources_are_named_without_what_they_share() -> None:
    def named(*paths: str) -> list[str]:
        return list(source_names([CorpusFile(path, 0, 0) for path in paths]).values())

    assert named("/home/me/a.txt") == ["a.txt"]
    assert named("/x/y/a.txt", "/x/z/a.txt", "/x/z/q/b.txt") == ["y/a.txt", "z/a.txt", "z/q/b.txt"]
    assert named("/x/ab/a.txt", "/x/a/b.txt") == ["ab/a.txt", "a/b.txt"]
    assert named("s3://b/k/a.txt", "s3://b/k/b.txt") == ["a.txt", "b.txt"]
    assert named("s3://b/a.txt", "/b/a.txt") == ["s3://b/a.txt", "/b/a.txt"]

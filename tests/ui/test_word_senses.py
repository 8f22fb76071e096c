"""The page Word Senses, headless: its sources, its sections, what a tap does, and its corpora."""

import io
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.corpus.stratified_sample import stratified_sample
from bertviz_core.errors import UserInputError
from bertviz_core.shared.turns import slow_queue
from bertviz_core.ui import senses, state
from bertviz_core.views.word_senses import corpora
from bertviz_core.views.word_senses.corpora import offered_corpora
from tests.data.vector_files import npz_file, numbers, rows_of
from tests.headless import chart, charts, html, open_page, said, unpacked, value, values
from tests.hostile import HOSTILE, assert_harmless
from tests.views.word_senses import GO, NEW, OLD, write_corpus
from tests.waiting import held, wait_for, waiting

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGE = "pages/5_Word_Senses.py"
CASES = Path(__file__).parents[1] / "data" / "cases"


def drawn(app: AppTest) -> dict[str, int]:
    """How many points each series of the map has."""
    marks = [trace for trace in chart(app, "senses-pca")["data"] if trace["mode"] == "markers"]
    return {trace["name"]: len(trace["customdata"]) for trace in marks}


def own_lines(word: str, *lines: str, **query: str) -> AppTest:
    return open_page(
        PAGE, senseword=word, lines="\n".join(lines), **{"from": "my own lines"}, **query
    )


def upload(app: AppTest, key: str, content: bytes) -> AppTest:
    endings = {"text": "txt", "vectors": "npz" if content.startswith(b"PK") else "csv"}
    app.file_uploader(key=key).set_value((f"x.{endings[key]}", content, "text/plain")).run()
    assert not app.exception
    return app


def test_a_prepared_set_and_a_tap() -> None:
    app = open_page(PAGE)
    assert drawn(app) == {"money": 14, "river": 14}
    assert (value(app, "word0"), value(app, "series0")) == ("bank", "river")
    before = chart(app, "senses-pca")
    app.slider(key="near").set_value(21).run()
    assert (value(app, "number"), value(app, "series0")) == ("21", "money")
    assert chart(app, "senses-pca") == before  # a figure that changed would lose its zoom
    app.slider(key="layer").set_value(1).run()
    assert (
        chart(app, "senses-pca")["layout"]["xaxis"]["range"] == before["layout"]["xaxis"]["range"]
    )


def test_own_lines_with_labels_and_marks() -> None:
    lines = ("sense\tsentence", "animal\ta bat or a [bat] flew", "animal\tthe bat slept",
             "sport\tswing the bat", "no label, but a bat")  # fmt: skip
    app = own_lines("BAT", *lines, **{"senses-numbers": "true"})
    assert drawn(app) == {"animal": 2, "no label": 1, "sport": 1}
    assert app.dataframe[-1].value["start"][0] == 11
    app.text_area(key="lines").set_value("\n".join(lines).replace("sport", "club")).run()
    assert drawn(app) == {"animal": 2, "club": 1, "no label": 1}, "another label, another map"
    own = lines[3].replace("sport", "no label")
    app.text_area(key="lines").set_value("\n".join([*lines[:3], own, lines[4]])).run()
    assert drawn(app) == {"animal": 2, "(no label)": 1, "no label": 1}
    app = own_lines("bat", *lines[1:-1], section="layer by layer")
    assert "section" not in [one.key for one in app.segmented_control]


def test_it_opens_at_the_layer_that_the_finding_names() -> None:
    app = open_page(PAGE)
    assert value(app, "layer") == str(app.slider(key="layer").value) == "4"
    app.selectbox(key="set").set_value("mouse").run()
    assert value(app, "layer") == str(app.slider(key="layer").value) != "4"
    app.slider(key="layer").set_value(1).run()
    app.selectbox(key="set").set_value("bank").run()
    assert app.slider(key="layer").value == 1, "a layer that was chosen stays"


def test_the_word_that_all_lines_share_is_proposed() -> None:
    app = open_page(PAGE, **{"from": "my own lines"})
    assert app.text_input(key="senseword").value == "light"
    app.text_area(key="lines").set_value("the Bats fly\nmy bats\nno bats here").run()
    assert app.text_input(key="senseword").value == "bats"
    assert sum(drawn(app).values()) == 3
    app.text_input(key="senseword").set_value("fly").run()
    app.text_area(key="lines").set_value("a cat\none cat\nthe cat").run()
    assert app.text_input(key="senseword").value == "fly", "a word that was typed stays"


def test_too_little_is_said() -> None:
    for word, lines, message in (
        ("", "a bat", "Type the word to look for"),
        ("bat", "", "“bat” occurs nowhere in these lines; a map needs at least 3"),
        ("bat", "a bat\na bat", "“bat” occurs 2 times"),
        ("\u200b", "a \u200b b\n" * 3, "Type the word to look for"),
    ):
        app = own_lines(word, lines)
        assert message in said(app)
        assert not charts(app)
    app = own_lines("bat", "a bat\nbat\nthe bat\n" + "x " * 600 + "bat")
    assert [value(app, name) for name in ("left_out", "total", "most")] == ["1", "4", "512"]


def test_hostile_lines_and_labels() -> None:
    texts = [text[:200].replace("\n", " ") for text in HOSTILE]
    lines = [f"{text}\tbat {text} {i}" for text in texts for i in range(2)]
    app = own_lines("bat", "sense\tsentence", *lines)
    assert_harmless(app)
    assert sum(drawn(app).values()) == len(lines)
    for trace in chart(app, "senses-pca")["data"]:
        read = trace.get("text", [trace.get("name"), trace.get("customdata")])
        assert "<script>" not in str(read)


def test_a_text_file_is_searched_and_its_cut_is_said(
    tiny_on_offer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(PAGE, model="tiny", **{"from": "text file"})
    assert "bx-note" in html(app)
    assert not charts(app)
    app.text_input(key="senseword").set_value("cat")
    content = "".join(f"a cat {i}\r\nnothing\r\n" for i in range(700))
    monkeypatch.setattr("bertviz_core.senses.occurrences.find_occurrences.__defaults__", (600,))
    upload(app, "text", content.encode())
    assert [value(app, name) for name in ("total", "count")] == ["700", "600"]
    assert sum(drawn(app).values()) == 600
    assert not chart(app, "senses-pca").get("frames")
    assert value(app, "most_played") == "500"
    content = b"a cat\n" * 3 + b"the river " * 300 + b" cat"
    assert value(upload(app, "text", content), "shortened") == "1"
    table = b"sense\tid\ttext\n" + b'pet\t1\t"a cat\n' * 4
    app.file_uploader(key="text").set_value(("x.tsv", table, "text/plain")).run()
    assert drawn(app) == {"pet": 4}
    app.text_input(key="senseword").set_value("für")
    upload(app, "text", "a bench für you\n".encode("latin-1") * 3)
    assert (value(app, "word0"), sum(drawn(app).values())) == ("für", 3)
    assert "it is read as Windows-1252, which is a guess" in value(app, "guess")


def table_given(name: str, content: bytes, word: str = "bank") -> AppTest:
    query = {"from": "text file", "senseword": word, "senses-numbers": "true"}
    app = open_page(PAGE, model="tiny", **query)
    app.file_uploader(key="text").set_value((name, content, "text/plain")).run()
    assert not app.exception
    return app


def test_a_table_is_read_by_the_columns_that_are_chosen(tiny_on_offer: None) -> None:
    app = table_given("uses.tsv", (CASES / "uses.tsv").read_bytes())
    assert (app.selectbox(key="filetext").value, sum(drawn(app).values())) == ("6: context", 10)
    assert app.selectbox(key="filelabel").value == "nothing"
    app.selectbox(key="filelabel").set_value("4: grouping").run()
    assert drawn(app) == {"1": 5, "2": 5}
    app.selectbox(key="filetext").set_value("1: lemma").run()
    (shown,) = [one.value for one in app.dataframe if "sentence" in one.value]
    assert set(shown["sentence"]) == {"bank"}
    app.selectbox(key="filetext").set_value("all of each line").run()
    assert sum(drawn(app).values()) == 20


@pytest.mark.parametrize(
    ("name", "lines", "offered", "text", "label"),
    [  # the columns that are offered, and which have text and labels unless others are chosen
        ("a.tsv", ["lemma\tgroup\tcontext", "a\tb\tc"], "lemma|group|context", 3, None),
        ("a.CSV", ["Label;Body", "x;a bank"], "Label|Body", 2, 1),
        ("a.csv", ["id,Tweet,sense,text", "1,a,b,c"], "id|Tweet|sense|text", 4, 3),
        ("a.csv", ["nr,文", "123,银行已经关门"], "nr|文", None, None),
        ("a.csv", ["text,sense,text,sentence1", "a b,m,c d,e f"], "|sense||sentence1", 4, 2),
        ("a.csv", ["One sentence", "Another sentence"], "One sentence", None, None),
        ("a.tsv", ["x" * 90 + "\ty"], "x" * 59 + "…|y", None, None),
        ("wic.txt", ["bank\tN\tWe sat on it ."] * 2, "bank|N|We sat on it .", None, None),
        ("wlp.txt", ["<s>", "The\tthe\tn", "bank\tbank\tn", "</s>"], "The|the|n", None, None),
        ("b.md", ["<b>", "text\t![x](http://a.org)"], "text|![x](http://a.org)", 1, None),
    ],
)  # fmt: skip
def test_columns_that_are_offered(
    name: str, lines: list[str], offered: str, text: int | None, label: int | None,
    tiny_on_offer: None,
) -> None:  # fmt: skip
    app = table_given(name, "\n".join(lines).encode())
    numbered = [f"{number}: {column}" for number, column in enumerate(offered.split("|"), start=1)]
    fields = app.selectbox(key="filetext"), app.selectbox(key="filelabel")
    assert set(fields[0].options) == {*numbered, "choose a column", "all of each line"}
    assert set(fields[1].options) == {*numbered, "nothing"}
    chosen = [numbered[place - 1] if place else None for place in (text, label)]
    assert [field.value for field in fields] == [
        chosen[0] or "choose a column", chosen[1] or "nothing"
    ]  # fmt: skip
    assert not charts(app)
    assert ("The file is a table" in html(app)) == (text is None)
    assert_harmless(app)


def test_a_file_of_vectors() -> None:
    """Vectors of another model than the one in use."""
    content = npz_file(
        vectors=numbers(30, 3, 8),
        layers=[0, 3, 9],
        word=["bank"] * 20 + ["go"] * 10,
        year=[1900 + row % 3 for row in range(30)],
        sense=["river", "money"] * 15,
        model="tiny-bert",
        pooling="mean",
        **rows_of(30),
    )
    app = open_page(
        PAGE, **{"from": "file of vectors", "senses-nearest-numbers": "true", "layer": "5"}
    )
    upload(app, "vectors", content)
    assert (value(app, "model"), value(app, "pooling")) == ("tiny-bert", "mean")
    assert [one.options for one in app.select_slider] == [["0", "3", "9"]]
    assert app.select_slider(key="layer").value == 9
    assert not [e for e in app.expander if e.label.startswith("Show the code")]
    (nearest,) = [one.value for one in app.dataframe if "cosine similarity" in one.value]
    assert set(nearest["year"]) <= {1900, 1901, 1902}
    app.select_slider(key="layer").set_value(3).run()
    assert chart(app, "senses-pca")["data"][-1]["text"] == ["layer 3"]
    app.get_by_key("section").set_value("layer by layer").run()
    curve, *_ = curves = unpacked(chart(app, "senses-scores"))["data"]
    assert (len(curves), curve["x"]) == (1, [0, 3, 9]), "a file has no other tokens"
    app.selectbox(key="filecolumn").set_value("year").run()
    assert list(drawn(app)) == ["1900", "1901", "1902"]
    app.selectbox(key="fileword").set_value("go").run()
    assert sum(drawn(app).values()) == 10
    app.get_by_key("from").set_value("prepared set").run()
    assert not app.exception
    assert app.slider(key="layer").value == 3


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "of the operator"
    folder.mkdir()
    write_corpus(folder)
    monkeypatch.setenv("BERTVIZ_CORPORA", f"news={folder / 'nowhere'}, novels={folder}")
    return folder


HOME = {"from": "a corpus", "corpus": "novels"}


def test_a_corpus_its_words_and_its_sections(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page(PAGE, **HOME, **{"senses-numbers": "true"})
    assert sum(drawn(app).values()) == OLD + NEW
    assert app.select_slider(key="layer").value == 2
    (everyone,) = [one.value for one in app.dataframe if "x" in one.value]
    assert everyone["offset"].tolist() == list(range(OLD + NEW))
    assert app.selectbox(key="spread").options == ["nothing", "year", "author", "source"]
    app.selectbox(key="corpusword").set_value("go").run()
    assert sum(drawn(app).values()) == GO
    app.selectbox(key="corpusword").set_value("never").run()
    assert "0 occurrences of “never” can be drawn" in said(app)
    monkeypatch.setitem(stratified_sample.__kwdefaults__, "most", 20)
    app = open_page(PAGE, **HOME, spread="source", present="light", set="spring")
    assert 'bx-inputs"><summary><bdi>bank</bdi>' in html(app)
    assert drawn(app) == {"new.txt": 10, "old.txt": 10}
    assert (value(app, "count"), value(app, "total")) == ("20", "60")


def test_an_operators_folder_stays_unsaid_and_unnamed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in (str(folder), f"novels={folder}", "../novels", ""):
        app = open_page(PAGE, **HOME | {"corpus": name})
        assert app.selectbox(key="corpus").value == "news"
        assert "The corpus “news” cannot be read now" in said(app)
    app = open_page(PAGE, **HOME)
    part = folder / "parts/part-000001.parquet"
    content = part.read_bytes()
    part.write_bytes(content[:300])  # while the app holds the corpus open
    app.selectbox(key="corpusword").set_value("go").run()
    assert "The corpus “novels” cannot be read now" in said(app)
    assert str(folder) not in html(app)
    assert str(folder) in caplog.text
    app.get_by_key("from").set_value("my own lines").run()
    assert "bx-alert" not in html(app)
    monkeypatch.delenv("BERTVIZ_CORPORA")
    assert "a corpus" not in open_page(PAGE, **HOME).get_by_key("from").options


def test_a_job_that_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = folder / "parts/part-000001.parquet"
    content = part.read_bytes()
    part.unlink()
    monkeypatch.setattr(corpora, "_last_written", corpora._last_written.__wrapped__)
    app = open_page(PAGE, **HOME)
    assert (value(app, "missing"), sum(drawn(app).values())) == ("1", OLD)
    part.write_bytes(content)
    assert values(app.run(), "missing") == []
    assert sum(drawn(app).values()) == OLD + NEW


def test_what_the_operator_names(folder: Path) -> None:
    named = offered_corpora({"BERTVIZ_CORPORA": " a = /x/y ,\nb b=~/z,, "})
    assert named == {"a": Path("/x/y"), "b b": Path("~/z").expanduser()}
    assert offered_corpora({}) == {}
    # Who names what other programs are given offers the folder around it.
    assert offered_corpora({"BERTVIZ_CORPORA": f"a={folder / 'parts'}"}) == {"a": folder}
    for entry in ("/x/y", "a=", "=/x"):
        with pytest.raises(UserInputError, match=f"has the entry “{entry}”; expected name="):
            offered_corpora({"BERTVIZ_CORPORA": entry})


TEXT, VECTORS = "text file", "file of vectors"
NPZ, LONGER = (npz_file(vectors=numbers(count), **rows_of(count)) for count in (8, 9))
LINES = b"a bank\n" * 8
UPLOADS = [(VECTORS, "vectors", "npz", (NPZ, LONGER)), (TEXT, "text", "txt", (LINES, LINES * 2))]


@pytest.mark.parametrize(("source", "key", "ending", "files"), UPLOADS)
def test_a_file_waits_in_the_line_of_the_model_and_is_ended_if_it_takes_too_long(
    source: str, key: str, ending: str, files: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(PAGE, **{"from": source, "senseword": "bank"})
    app.file_uploader(key=key).set_value((f"x.{ending}", files[0], ""))
    viewer = threading.Thread(target=app.run)
    with held(slow_queue):
        viewer.start()
        wait_for(lambda: waiting(slow_queue) == 1)
    viewer.join()
    assert not app.exception
    assert charts(app)
    with held(slow_queue):  # what was opened does not wait
        assert charts(app.run())
    monkeypatch.setattr(senses, "MAX_SECONDS", 0)
    app = open_page(PAGE, **{"from": source, "senseword": "bank"})
    app.file_uploader(key=key).set_value((f"x.{ending}", files[1], "")).run()
    assert not app.exception
    assert "Reading the file took longer than 0 seconds, and was ended." in said(app)
    assert not charts(app)


def test_files_that_are_refused() -> None:
    """The bytes of a file tell what it is, not its name."""
    app = open_page(PAGE, **{"from": VECTORS})
    for name in ("x.parquet", "x"):
        app.file_uploader(key="vectors").set_value((name, b"PAR1" + bytes(90), "")).run()
        assert not app.exception
        assert "The file is not an NPZ file" in said(app)
    app.file_uploader(key="vectors").set_value(("x.exe", NPZ, "")).run()
    assert charts(app)
    app = open_page(PAGE, **{"from": VECTORS})
    gone = {"vectors": "a file that made room"}
    app.session_state[state.KEY] = replace(app.session_state[state.KEY], uploads=gone)
    assert "Your file is no longer on the server. Choose it again." in said(app.run())
    app = open_page(PAGE, **{"from": TEXT, "senseword": "bank"})
    app.file_uploader(key="text").set_value(("x.txt", b"a bank\n" * 800_000, "")).run()
    assert "The file has 5.6 MB; up to 5 MB can be read here." in said(app)
    assert not charts(app)


def test_a_file_is_its_sessions_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser chooses the id of a file it sends; another one that knows it may send the same."""

    class Upload(io.BytesIO):
        file_id = "known"

    def labels(session: str, label: str) -> set[str | None]:
        context = SimpleNamespace(session_id=session)
        monkeypatch.setattr(senses, "get_script_run_ctx", lambda: context)
        file: Any = Upload(npz_file(vectors=numbers(8), labels=[label] * 8))
        return {one.sense for one in senses.open_file(file, "").found.occurrences}

    assert [labels("one", "mine"), labels("other", "theirs")] == [{"mine"}, {"theirs"}]
    assert labels("one", "sent later") == {"mine"}, "opened once"

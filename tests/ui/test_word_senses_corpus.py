"""Word Senses on a corpus, headless: its sample, its sections, and what visitors cannot reach."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.arrays import cosine
from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import stratified_sample
from bertviz_core.errors import UserInputError
from bertviz_core.ui import sections
from bertviz_core.ui.word_senses.corpora import offered
from bertviz_core.ui.word_senses.corpora.offered import offered_corpora
from bertviz_core.ui.word_senses.shelves import shelves
from bertviz_core.ui.word_senses.sources import CORPUS, OWN
from tests.corpus.made import JOB, Row, write_manifest, write_part
from tests.headless import charts, html, numbers, open_page, said, value, values
from tests.headless import recorded_downloads as recorded
from tests.hostile import HOSTILE, assert_harmless
from tests.snippets.running import run

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGE = "pages/5_Word_Senses.py"
HOME = {"from": CORPUS}
OLD, NEW, GO = 40, 20, 5


def rows() -> list[Row]:
    """Old occurrences of bank and new ones, which lie in another direction; some of go."""
    vectors = np.random.default_rng(0).standard_normal((OLD + NEW + GO, 4))
    vectors[OLD:, 0] += 4
    return [
        Row("bank" if number < OLD + NEW else "go", vector.tolist(),
            year=1900 + number % 3 if number < OLD else 1950 + number % 3,
            author="Ann" if number % 2 else "Bob", source="old.txt" if number < OLD else "new.txt",
            sentence=f"By bank {number}.", start=3, end=7, offset=number)
        for number, vector in enumerate(vectors)
    ]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "of the operator"
    folder.mkdir()
    write_manifest(folder, JOB)
    write_part(folder, JOB, 0, rows()[:OLD])
    write_part(folder, JOB, 1, rows()[OLD:])
    monkeypatch.setenv("BERTVIZ_CORPORA", f"novels={folder}")
    return folder


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of 20."""
    monkeypatch.setitem(stratified_sample.__kwdefaults__, "most", 20)


def drawn(app: AppTest) -> dict[str, int]:
    """How many points each series of the map has."""
    marks = [trace for trace in charts(app)[0]["data"] if trace["mode"] == "markers"]
    return {trace["name"]: len(trace["customdata"]) for trace in marks}


def test_without_a_corpus_there_is_no_such_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BERTVIZ_CORPORA", raising=False)
    app = open_page(PAGE, **HOME)
    assert CORPUS not in app.get_by_key("from").options
    assert value(app, "word0") == "bank"  # the prepared set


def test_all_occurrences_of_a_small_corpus(folder: Path) -> None:
    app = open_page(PAGE, **HOME, **{"occurrence-numbers": "true"})
    assert (value(app, "model"), value(app, "pooling")) == ("tiny", "mean")
    assert sum(drawn(app).values()) == OLD + NEW
    assert all(name.startswith("group ") for name in drawn(app))
    assert app.select_slider(key="layer").value == 2
    assert not values(app, "total")  # nothing is left out
    (everyone,) = [one.value for one in app.dataframe if "x" in one.value]
    assert everyone["sentence"].tolist() == [f"By bank {number}." for number in range(OLD + NEW)]
    assert everyone["offset"].tolist() == list(range(OLD + NEW))
    assert everyone["author"].tolist() == ["Bob", "Ann"] * 30
    assert app.selectbox(key="corpusword").options == ["bank", "go", "never"]
    assert app.selectbox(key="spread").options == ["nothing", "year", "author", "source"]
    app.selectbox(key="corpusword").set_value("go").run()
    assert sum(drawn(app).values()) == GO
    app.selectbox(key="corpusword").set_value("never").run()
    assert "0 occurrences of “never” can be drawn; a map needs at least 3" in said(app)
    assert str(folder) not in html(app)


def test_a_sample_is_said_and_spread_over_a_column(folder: Path, few: None) -> None:
    app = open_page(PAGE, **HOME)
    assert (value(app, "count"), value(app, "total")) == ("20", "60")
    assert "drawn at random" in said(app)
    app = open_page(PAGE, **HOME, spread="source", **{"sample-numbers": "true"})
    assert drawn(app) == {"new.txt": 10, "old.txt": 10}
    assert "as many of each source as can be" in said(app)
    (groups,) = [one.value for one in app.dataframe if "on the map" in one.value]
    assert groups["group"].tolist() == ["new.txt", "old.txt"]
    assert groups["in the corpus"].tolist() == [NEW, OLD]
    assert groups["on the map"].tolist() == [10, 10]
    app = open_page(PAGE, **HOME, spread="year")
    assert sum(drawn(app).values()) == 20
    assert set(drawn(app)) == {"1900", "1901", "1902", "1950", "1951", "1952"}


def test_nearest_ones_of_the_whole_corpus(folder: Path, few: None) -> None:
    query = {**HOME, "senses": sections.IN_CORPUS, "near": "3", "occurrence-numbers": "true"}
    app = open_page(PAGE, **query)
    (found,) = [one.value for one in app.dataframe if "cosine similarity" in one.value]
    own = stratified_sample(Occurrences.open(folder), "bank", most=20).rows[2]
    vectors = np.array([row.vector for row in rows()])
    cosines = cosine(vectors, vectors[own])
    cosines[own] = -1
    order = np.argsort(-cosines[: OLD + NEW])[:20]
    assert found["sentence"].tolist() == [f"By bank {number}." for number in order]
    assert found["cosine similarity"].tolist() == pytest.approx(cosines[order], abs=1e-5)
    assert found["source"].tolist() == ["old.txt" if row < OLD else "new.txt" for row in order]
    assert value(app, "among") == "59"
    on_map = dict(zip(found["sentence"], found["on the map"], strict=True))
    (everyone,) = [one.value for one in app.dataframe if "x" in one.value]
    numbered = dict(zip(everyone["sentence"], everyone["number"], strict=True))
    assert {one: number for one, number in on_map.items() if number == number} == {
        one: numbered[one] for one in on_map if one in numbered
    }
    app = open_page(PAGE, **query, anyword="true")
    (found,) = [one.value for one in app.dataframe if "cosine similarity" in one.value]
    order = np.argsort(-cosines)[:20]
    assert found["sentence"].tolist() == [f"By bank {number}." for number in order]
    assert set(found["word"]) <= {"bank", "go"}
    assert value(app, "among") == "64"


def test_the_shift_over_the_layers(folder: Path) -> None:
    app = open_page(PAGE, **HOME, senses=sections.SHIFT, **{"shift-numbers": "true"})
    assert values(app, "first")[0].startswith("year<19")  # the middle one
    app.number_input(key="shiftat").set_value(1950).run()
    assert not app.exception
    assert values(app, "first")[0] == "year<1950"
    assert values(app, "first_count") == [str(OLD)]
    assert values(app, "second_count") == [str(NEW)]
    assert float(values(app, "relative")[0]) > 1.1
    assert float(values(app, "p")[0]) < 0.05
    assert "It does not say that the meaning changed" in said(app)
    figure = charts(app)[1]
    table = next(one.value for one in app.dataframe if "average pairwise distance" in one.value)
    assert table["layer"].tolist() == [0, 2]
    curves = [trace for trace in figure["data"] if trace["name"].startswith("measured")]
    assert numbers(curves[0]["y"]) == pytest.approx(table["average pairwise distance"], abs=1e-6)
    distances = table["prototype distance"].replace(np.inf, np.nan)  # a gap in the curve
    assert numbers(curves[1]["y"]) == pytest.approx(distances, abs=1e-6, nan_ok=True)
    assert numbers(curves[0]["x"]).tolist() == [0, 2]
    changed = next(one.value for one in app.dataframe if "cosine with its own" in one.value)
    assert changed["group"].tolist() == ["year<1950"] * 5 + ["year>=1950"] * 5
    assert (changed["cosine with its own"] > changed["with the other"]).all()


def test_the_program_of_the_shift_prints_what_the_page_says(
    folder: Path, tmp_path: Path, monkeypatch
) -> None:
    """From the arrays that the view offers, which stand alone beside it."""
    downloads = recorded(monkeypatch)
    app = open_page(PAGE, **HOME, senses=sections.SHIFT, shiftat="1950", **{"code-shift": "true"})
    (program,) = [block.value for block in app.code]
    assert str(folder) not in program
    (file,) = [name for name in downloads if f"\nfile = '{name}'  #" in program]
    (tmp_path / file).write_bytes(downloads[file]())
    monkeypatch.chdir(tmp_path)
    printed, _ = run(program)
    first, *_, last = printed.splitlines()
    assert first == f"occurrences {OLD} {NEW}"
    relative = re.findall(r"within (\S+)", last)[0]
    assert float(relative) == pytest.approx(float(values(app, "relative")[0]), abs=6e-3)
    found = re.findall(r"distance (\S+) \(at random (\S+) to (\S+), p (\S+)\)", last)[0]
    said = [float(values(app, name)[0]) for name in ("value", "low", "high", "p")]
    assert [float(number) for number in found] == pytest.approx(said, abs=6e-4)


def test_the_groups_of_a_text_column(folder: Path) -> None:
    app = open_page(PAGE, **HOME, senses=sections.SHIFT, shiftby="author", shiftof="Bob")
    assert values(app, "first")[0] == "author=Bob"
    assert float(values(app, "p")[0]) > 0.05
    assert float(values(app, "relative")[0]) == pytest.approx(1, abs=0.2)
    app.selectbox(key="shiftby").set_value("source").run()
    assert not app.exception
    assert app.selectbox(key="shiftof").options == ["old.txt", "new.txt"]
    assert float(values(app, "p")[0]) < 0.05
    app.selectbox(key="shiftby").set_value("year").run()
    app.number_input(key="shiftat").set_value(1900).run()
    assert "No occurrence of “bank” has year&lt;1900" in said(app)


def test_a_corpus_that_carries_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = replace(JOB, carried=(), files=JOB.files[:1])
    write_manifest(tmp_path, job)
    write_part(tmp_path, job, 0, [replace(row, source="a.txt") for row in rows()])
    monkeypatch.setenv("BERTVIZ_CORPORA", f"plain={tmp_path}")
    app = open_page(PAGE, **HOME, senses=sections.SHIFT)
    assert "This corpus carries no column" in said(app)
    assert app.selectbox(key="spread").options == ["nothing"]


def test_labels_of_a_corpus_are_senses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = replace(JOB, carried=(Carried("sense", "string"),))
    write_manifest(tmp_path, job)
    labelled = rows()[: OLD + NEW]
    for number, row in enumerate(labelled):
        object.__setattr__(row, "sense", "old" if number < OLD else "new")
    write_part(tmp_path, job, 0, labelled)
    monkeypatch.setenv("BERTVIZ_CORPORA", f"novels={tmp_path}")
    app = open_page(PAGE, **HOME, senses=sections.SCORES)
    assert drawn(app) == {"new": NEW, "old": OLD}
    assert values(app, "auc")  # the finding names the best layer
    assert len(charts(app)) == 2


def test_a_job_that_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = folder / "part-000001.parquet"
    content = part.read_bytes()
    part.unlink()
    monkeypatch.setattr(offered, "_last_written", offered._last_written.__wrapped__)
    app = open_page(PAGE, **HOME)
    assert value(app, "missing") == "1"
    assert sum(drawn(app).values()) == OLD
    part.write_bytes(content)
    app.run()
    assert not values(app, "missing")
    assert sum(drawn(app).values()) == OLD + NEW


def test_an_operators_folder_stays_unsaid(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app = open_page(PAGE, **HOME)
    shelves.forget()
    part = folder / "part-000001.parquet"
    part.write_bytes(part.read_bytes()[:300])  # while the app holds the corpus open
    app.selectbox(key="corpusword").set_value("go").run()
    assert not app.exception
    assert "The corpus “novels” cannot be read now" in said(app)
    monkeypatch.setenv("BERTVIZ_CORPORA", f"novels={folder / 'nowhere'}")
    app = open_page(PAGE, **HOME)
    assert "The corpus “novels” cannot be read now" in said(app)
    assert str(folder) not in html(app)
    assert str(folder) in caplog.text


def test_visitors_can_name_no_folder(folder: Path) -> None:
    for name in (str(folder), f"novels={folder}", "../novels", ""):
        app = open_page(PAGE, **HOME, corpus=name)
        assert app.selectbox(key="corpus").value == "novels"
        assert sum(drawn(app).values()) == OLD + NEW


def test_one_of_several_corpora(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_CORPORA", f"news={folder / 'nowhere'}, novels={folder}")
    app = open_page(PAGE, **HOME, corpus="novels")
    assert sum(drawn(app).values()) == OLD + NEW
    app.selectbox(key="corpus").set_value("news").run()
    assert "The corpus “news” cannot be read now" in said(app)
    app.get_by_key("from").set_value(OWN).run()
    assert not app.exception
    assert "bx-alert" not in html(app)


def test_what_the_operator_names() -> None:
    named = offered_corpora({"BERTVIZ_CORPORA": " a = /x/y ,\nb b=~/z,, "})
    assert named == {"a": Path("/x/y"), "b b": Path("~/z").expanduser()}
    assert offered_corpora({}) == {}
    for entry in ("/x/y", "a=", "=/x"):
        with pytest.raises(UserInputError, match=f"has the entry “{entry}”; expected name="):
            offered_corpora({"BERTVIZ_CORPORA": entry})


def test_hostile_text_in_a_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_CORPORA", f"novels={tmp_path}")
    write_manifest(tmp_path, JOB)
    texts = [text for text in HOSTILE if text and text.isprintable()][:12]
    hostile = [
        replace(row, author=text[:100], sentence=f"By bank {text[:200]} {number}.")
        for number, row in enumerate(rows()[: len(texts) * 4])
        for text in [texts[number % len(texts)]]
    ]
    write_part(tmp_path, JOB, 0, hostile)
    for section in (sections.IN_CORPUS, sections.SHIFT):
        app = open_page(PAGE, **HOME, spread="author", senses=section, shiftby="author")
        for text in texts:
            assert_harmless(app, text)
        assert charts(app)


def test_presenting_names_the_word_that_is_shown(folder: Path) -> None:
    app = open_page(PAGE, **HOME, present="light", set="spring")
    assert 'bx-inputs"><summary><bdi>bank</bdi>' in html(app)

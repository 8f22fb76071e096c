"""The views of Word Senses on a corpus, as data."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import stratified_sample
from bertviz_core.views.view import View
from bertviz_core.views.word_senses.corpora import Corpus, Drawn
from bertviz_core.views.word_senses.mapped import ALL, Mapped
from bertviz_core.views.word_senses.nearest import ANY_WORD, IN_CORPUS, nearest
from bertviz_core.views.word_senses.occurrence_map import sense_map
from bertviz_core.views.word_senses.two_groups import shift_of_groups
from tests.corpus.made import JOB, write_manifest, write_part
from tests.views.word_senses import NEW, OLD, rows, series_on, small_corpus


def test_nearest_ones_of_the_whole_corpus(minilm: Bert, tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path)
    sampled = stratified_sample(corpus.occurrences, "bank", "source", most=20)
    drawn = Drawn(corpus, sampled, "source")
    opened = drawn.sample.opened
    mapped = Mapped(("a sample",), "bank", opened.model, opened.pooling, opened.found,
                    opened.layers, opened.total, opened, drawn, drawn.sample.names)  # fmt: skip
    headline = sense_map(minilm, mapped, 2)
    assert (headline.values["count"], headline.values["total"]) == ("20", "60")
    assert series_on(headline) == {"new.txt": 10, "old.txt": 10}
    groups = headline.to_frame("senses-sample")
    assert groups["in the corpus"].tolist() == [NEW, OLD]
    assert groups["on the map"].tolist() == [10, 10]
    own = drawn.sample.rows[2]
    vectors = np.array([row.vector for row in rows()])
    cosines = cosine(vectors, vectors[own])
    cosines[own] = -1
    for among, last in ((IN_CORPUS, OLD + NEW), (ANY_WORD, len(vectors))):
        view = nearest(minilm, mapped, 2, 3, ALL, among)
        order, found = np.argsort(-cosines[:last])[:20], view.to_frame()
        assert found["sentence"].tolist() == [f"By bank {number}." for number in order]
        assert found["cosine similarity"].tolist() == pytest.approx(cosines[order], abs=1e-5)
        assert found["source"].tolist() == ["old.txt" if row < OLD else "new.txt" for row in order]
        assert view.values["among"] == str(last - 1)
        on_map = {row + 1: drawn.sample.rows[row] for row in range(20)}
        shown = found["on the map"].dropna().astype(int)
        assert [on_map[number] for number in shown] == [order[row] for row in shown.index]


def test_the_shift_over_the_layers(minilm: Bert, tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path)

    def shifted(**values: Any) -> View:
        return shift_of_groups(minilm, corpus, "bank", 2, **values)

    assert str(shifted().values["first"]).startswith("year<19")  # the middle one
    view = shifted(shiftat=1950.0)
    said = [view.values[name] for name in ("first", "first_count", "second_count")]
    assert said == ["year<1950", str(OLD), str(NEW)]
    assert float(str(view.values["relative"])) > 1.1
    assert float(str(view.values["p"])) < 0.05
    table, drawn = view.to_frame(), view.pictures["senses-shift"].figure._data
    assert drawn[2]["y"] == pytest.approx(table["average pairwise distance"], abs=1e-6)
    ends = [("", "from"), ("", "to"), ("at random ", "from"), ("at random ", "to")]
    names = [f"average pairwise distance, {first}{end}" for first, end in ends]
    assert drawn[2]["customdata"] == pytest.approx(table[names].to_numpy(), abs=1e-6)
    assert list(drawn[2]["marker"]["symbol"])[1] == "circle"  # above random groups
    assert len(drawn[0]["y"]) == len(drawn[1]["y"]) == 4  # there and back
    changed = view.to_frame("senses-changed")
    assert changed["group"].tolist() == ["year<1950"] * 5 + ["year>=1950"] * 5
    assert (changed["cosine with its own"] > changed["with the other"]).all()
    by_author = shifted(shiftby="author", shiftof="Bob")
    assert by_author.values["first"] == "author=Bob"
    assert float(str(by_author.values["p"])) > 0.05
    assert float(str(by_author.values["relative"])) == pytest.approx(1, abs=0.2)
    by_source = shifted(shiftby="source")
    assert by_source.values["first"] == "source=old.txt"
    assert float(str(by_source.values["p"])) < 0.05


def test_a_corpus_that_carries_nothing_and_one_with_labels(minilm: Bert, tmp_path: Path) -> None:
    (plain := tmp_path / "plain").mkdir()
    job = replace(JOB, carried=(), files=JOB.files[:1])
    write_manifest(plain, job)
    write_part(plain, job, 0, [replace(row, source="a.txt") for row in rows()])
    corpus = Corpus("plain", "plain", Occurrences.open(plain))
    assert corpus.columns == []
    assert not shift_of_groups(minilm, corpus, "bank", 2).pictures
    (labelled := tmp_path / "labelled").mkdir()
    job = replace(JOB, carried=(Carried("sense", "string"),))
    write_manifest(labelled, job)
    named = rows()[: OLD + NEW]
    for number, row in enumerate(named):
        object.__setattr__(row, "sense", "old" if number < OLD else "new")
    write_part(labelled, job, 0, named)
    opened = stratified_sample(Occurrences.open(labelled), "bank").opened
    mapped = Mapped(("labelled",), "bank", "tiny", "mean", opened.found, opened.layers, 60, opened)
    assert series_on(sense_map(minilm, mapped, 2)) == {"new": NEW, "old": OLD}
    assert mapped.scorable

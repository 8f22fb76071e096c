"""The views of Word Senses on a corpus, as data."""

from dataclasses import replace
from pathlib import Path

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import stratified_sample
from bertviz_core.views.word_senses.corpora import Corpus, notes_on_sample
from bertviz_core.views.word_senses.occurrence_map import sense_map
from bertviz_core.views.word_senses.sense_map import SenseMap
from tests.corpus.made import JOB, write_manifest, write_part
from tests.views.word_senses import NEW, OLD, rows, series_on, small_corpus


def test_a_sample_says_what_it_is_a_sample_of(minilm: Bert, tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path)
    sampled = stratified_sample(corpus.occurrences, "bank", "source", most=20)
    notes = tuple(notes_on_sample(corpus, sampled, "source"))
    mapped = SenseMap(
        **vars(sampled.opened), identity=("a sample",), colours=sampled.names, notes=notes
    )
    headline = sense_map(minilm, mapped, 2)
    assert (headline.values["count"], headline.values["total"]) == ("20", "60")
    assert series_on(headline) == {"new.txt": 10, "old.txt": 10}


def test_a_corpus_that_carries_nothing_and_one_with_labels(minilm: Bert, tmp_path: Path) -> None:
    (plain := tmp_path / "plain").mkdir()
    job = replace(JOB, carried=(), files=JOB.files[:1])
    write_manifest(plain, job)
    write_part(plain, job, 0, [replace(row, source="a.txt") for row in rows()])
    corpus = Corpus("plain", "plain", Occurrences.open(plain))
    assert corpus.columns == []
    (labelled := tmp_path / "labelled").mkdir()
    job = replace(JOB, carried=(Carried("sense", "string"),))
    write_manifest(labelled, job)
    named = rows()[: OLD + NEW]
    for number, row in enumerate(named):
        object.__setattr__(row, "sense", "old" if number < OLD else "new")
    write_part(labelled, job, 0, named)
    opened = stratified_sample(Occurrences.open(labelled), "bank").opened
    mapped = SenseMap(**vars(opened), identity=("labelled",))
    assert series_on(sense_map(minilm, mapped, 2)) == {"new": NEW, "old": OLD}
    assert mapped.scorable

"""The program of two groups of a corpus prints what the page shows."""

import re
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.shift.measures import shift
from bertviz_core.corpus.shift.resamples import resample
from bertviz_core.corpus.shift.two_groups import sentences_of, two_groups, vectors_of
from bertviz_core.corpus.store import Occurrences
from tests.corpus.made import JOB, Row, write_manifest, write_part
from tests.snippets.running import run_filled

LINE = (
    r"layer_(\d) between / within (\S+) .*? distance (\S+) "
    r"\(at random (\S+) to (\S+), p (\S+)\) .*? distance (\S+)"
)


def write_found(folder: Path, word: str = "mouse") -> None:
    """Occurrences of two periods that are apart, two of them in one sentence, some without a year,
    and such of another word.
    """
    folder.mkdir()
    write_manifest(folder, JOB)
    vectors = np.random.default_rng(0).standard_normal((60, 4)) + 1
    vectors[40:, 0] += 2
    rows = [
        Row(word if i % 10 else "go", vector.tolist(), year=None if i % 13 == 1 else 1900 + i * 2,
            author="Ann" if i % 3 else "Bob", source=f"/texts/{'old' if i < 40 else 'new'}.txt",
            sentence=f"Number {i // 2}.")
        for i, vector in enumerate(vectors)
    ]  # fmt: skip
    write_part(folder, JOB, 0, rows[:25])
    write_part(folder, JOB, 1, rows[25:])


@pytest.mark.parametrize(
    ("condition", "most"),
    [("year<1975", 1000), ("year<1975", 12), ("author=Bob", 1000), ("source=new.txt", 1000)],
)
def test_shift(minilm: Bert, tmp_path: Path, condition: str, most: int) -> None:
    write_found(tmp_path / "found", "bank")
    occurrences = Occurrences.open(tmp_path / "found")
    groups = two_groups(occurrences, "bank", [condition], most=most)
    resamples = resample(*sentences_of(occurrences, groups))
    layers = [vectors_of(occurrences, groups, layer) for layer in occurrences.layers]
    expected = shift(layers, resamples)
    read = occurrences.condition(condition)
    printed, _ = run_filled(
        "senses/shift",
        minilm,
        folder=str(tmp_path / "found"),
        word="bank",
        column=read.column,
        sign=read.operator,
        value=read.value,
        most=most,
    )
    sizes = [int(number) for number in printed.splitlines()[0].split()[1:]]
    assert sizes == [len(groups.first.rows), len(groups.second.rows)]
    found = np.array(re.findall(LINE, printed), dtype=float).T
    average, prototype = expected.average, expected.prototype
    wanted = (
        *(expected.relative, average.values, average.chance_low, average.chance_high),
        *(average.p, prototype.values),
    )
    assert found[0].tolist() == [0, 2]
    for ours, theirs in zip(wanted, found[1:], strict=True):
        assert ours == pytest.approx(theirs, abs=6e-4)
    assert 0.001 <= average.p.min() < 0.6

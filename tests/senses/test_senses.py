"""Occurrences of a word in lines, their vectors, groups and nearest ones."""

from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest

from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.word_vectors import POOLINGS
from bertviz_core.decoding import decoded_lines
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.forward import BATCH, BATCH_TOKENS, batch_tensors, batches_by_length
from bertviz_core.errors import UserInputError
from bertviz_core.senses import (
    Occurrence,
    find_occurrences,
    group,
    nearest_occurrences,
    prepared_set,
    prepared_words,
    sense_scores,
    sense_vectors,
)
from bertviz_core.senses.occurrences import MAX_SENTENCE, WordFinder, shared_word
from bertviz_core.senses.scores import MAX_SCORED
from bertviz_core.tokens import tokenize
from tests.fuzz import answers


@pytest.mark.parametrize(
    ("word", "line", "found"),
    [
        ("bank", "The bank, a BANK and banks; embank", [(4, 8), (12, 16)]),
        ("bank", "bank's bank-note", [(0, 4), (7, 11)]),
        ("C++", "c++ or C+++; C++.", [(0, 3), (7, 10), (13, 16)]),
        ("new york", "In New  York City", [(3, 12)]),
        ("cafe", "cafe cafe\u0301 café", [(0, 4)]),
        ("été", "Un ÉTÉ chaud", [(3, 6)]),
        ("行", "銀行去行走", [(1, 2), (3, 4)]),
        ("a|b", "a a|b b", [(2, 5)]),
        # Composed wholly, in part or not at all.
        ("café", "un cafe\u0301 ou CAFÉ", [(3, 8), (12, 16)]),
        ("cafe\u0301", "un café", [(3, 7)]),
        ("Việt", "Vi\u00ea\u0323t Vi\u1eb9\u0302t", [(0, 5), (6, 11)]),
        ("İstanbul", "I\u0307stanbul istanbul", [(0, 9), (10, 18)]),
        ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8 한국은", [(0, 6)]),
        ("क़", "\u0958 क\u093c", [(0, 1), (2, 4)]),
        # What BERT drops: soft hyphens, joiners.
        ("cooperate", "to co\u00adoperate", [(3, 13)]),
        ("co\u00adoperate", "cooperate", [(0, 9)]),
        ("bank", "note\u00adbank bank\u00adnote \u200bbank", [(21, 25)]),
        ("می\u200cخواهم", "من می\u200cخواهم", [(3, 11)]),
        ("خواهم", "من می\u200cخواهم", []),
        # A vowel sign belongs to its word.
        ("बैंक", "बैंक, बैंकों और बैंक।", [(0, 4), (16, 20)]),
        ("को", "कोई को", [(4, 6)]),
        # Both apostrophes; a ligature is another letter for BERT, too.
        ("don't", "don’t, DON'T, dont", [(0, 5), (7, 12)]),
        ("O’Neil", "O'Neil's", [(0, 6)]),
        ("finance", "ﬁnance finance", [(7, 14)]),
        # Marks are taken off where they were typed.
        ("café", "un [cafe\u0301] et [café], café", [(3, 8), (12, 16)]),
    ],
)
def test_a_word_is_found_whole(word: str, line: str, found: list) -> None:
    assert [(one.start, one.end) for one in all_of(word, line)] == found
    assert WordFinder(word).count(line) == len(found)


def all_of(word: str, line: str) -> tuple[Occurrence, ...]:
    return find_occurrences([line], word).occurrences


def test_marks_win_and_are_taken_off() -> None:
    first, second = all_of("bank", "  a bank, the [Bank] and the [bank]")
    assert first == Occurrence("a bank, the Bank and the bank", 12, 16, 1)
    assert (second.start, second.end, second.word) == (25, 29, "bank")
    (plain,) = all_of("bank", "[money] in the bank")
    assert plain.sentence == "[money] in the bank"
    first, second = all_of("bank", "x " * 2_000 + "[bank] and " + "y " * 2_000 + "[Bank]")
    assert (first.word, second.word) == ("bank", "Bank")  # counted before the line is cut


def test_the_word_that_lines_share_is_whole() -> None:
    assert shared_word(["un cafe\u0301 noir", "le Café froid"]) == "café"
    assert shared_word(["वे [बैंकों] में", "[बैंकों] के"]) == "बैंकों"
    assert shared_word(["the plane_nn flew", "a _plane_"]) == "plane"


def test_lines_are_counted_and_cut() -> None:
    lines = ["", "no such word", "a bat and a bat", "bat", "BAT bat bat"]
    found = find_occurrences(lines, "bat", most=4)
    assert [(o.line, o.start) for o in found.occurrences] == [(3, 2), (3, 12), (4, 0), (5, 0)]
    assert {o.sense for o in found.occurrences} == {None}
    assert (found.total, found.lines) == (6, 3)
    with pytest.raises(UserInputError, match="Type the word"):
        find_occurrences(["a"], "  ")


def test_labels_before_a_tab_once_the_header_says_so() -> None:
    lines = ["", "sense\tsentence", "animal\tA bat flew", "no label: a bat", "\tbat", "x\ty\tbat"]
    found = find_occurrences(lines, "bat").occurrences
    assert [(o.sense, o.sentence) for o in found] == [
        ("animal", "A bat flew"),
        (None, "no label: a bat"),
        (None, "bat"),
        ("x", "y\tbat"),
    ]
    unlabelled = find_occurrences(lines[2:], "bat")
    assert unlabelled.occurrences[0].sentence == "animal\tA bat flew"


def test_prepared_sets() -> None:
    assert len(prepared_words()) == 14
    for word in prepared_words():
        found = prepared_set(word)
        assert found.total == len(found.occurrences) == found.lines >= 28
        assert len({o.sense for o in found.occurrences} - {None}) >= 2
        for occurrence in found.occurrences:
            assert occurrence.word.lower() == word
            assert "[" not in occurrence.sentence
    with pytest.raises(UserInputError, match="choose apple"):
        prepared_set("../x")


@pytest.mark.parametrize("pooling", POOLINGS)
def test_vectors_equal_those_of_one_sentence_alone(tiny_encoder: Encoder, pooling) -> None:
    lines = ["my codes on a codes " * 2, "codes", "the " * 12 + "mat"]
    found = find_occurrences(lines + lines[:1], "codes")
    ours = sense_vectors(tiny_encoder, found.occurrences, pooling)
    assert ours.occurrences == found.occurrences
    assert ours.vectors.shape == (9, 3, 8)
    assert ours.vectors.dtype == np.float32
    assert not ours.vectors.flags.writeable
    for occurrence, vectors in zip(ours.occurrences, ours.vectors, strict=True):
        sentence, start, end = occurrence.sentence, occurrence.start, occurrence.end
        marked = f"{sentence[:start]}[{occurrence.word}]{sentence[end:]}"
        alone = word_in_context(tiny_encoder, marked, pooling)
        assert len(alone.tokens) > 1
        assert np.abs(vectors - alone.vectors).max() < 1e-5


def test_the_other_tokens_are_the_librarys(tiny_encoder: Encoder) -> None:
    """Of labelled occurrences, in one run: their means without the word, [CLS] and [SEP]."""
    lines = [
        "sense\tsentence",
        "a\tmy codes on a mat",
        "b\tcodes",
        "the codes",
        "a\tcodes, my codes",
    ]
    found = sense_vectors(tiny_encoder, find_occurrences(lines, "codes").occurrences)
    assert [one.sense for one in found.occurrences] == ["a", "b", None, "a", "a"]
    assert sorted(found.others) == [0, 3, 4], "not of a word alone, nor without a label"
    for row, mean in found.others.items():
        one = found.occurrences[row]
        text = tokenize(tiny_encoder.bert, one.sentence)
        inputs = batch_tensors([text])
        states = tiny_encoder.model(**inputs, output_hidden_states=True).hidden_states
        rest = [
            at for at, (first, stop) in enumerate(text.offsets.tolist())
            if first < stop and (stop <= one.start or first >= one.end)
        ]  # fmt: skip
        expected = [state[0, rest].mean(dim=0).detach().numpy() for state in states]
        assert mean == pytest.approx(np.stack(expected), abs=1e-5)


def test_only_what_is_scored_has_its_other_tokens(tiny_encoder: Encoder) -> None:
    lines = ["sense\tsentence", *(f"{'ab'[i % 2]}\tcat {i}" for i in range(MAX_SCORED + 9))]
    found = sense_vectors(tiny_encoder, find_occurrences(lines, "cat").occurrences)
    scores = sense_scores(found.vectors, [one.sense for one in found.occurrences], found.others)
    assert sorted(found.others) == scores.rows.tolist()
    assert scores.without_word.auc.shape == scores.auc.shape
    assert scores.without_word.same_sense == scores.same_sense


def test_words_beyond_the_cut_are_counted(tiny_encoder: Encoder) -> None:
    found = find_occurrences(["the cat sat on a mat " * 4, "cat", "dog"], "cat")
    ours = sense_vectors(tiny_encoder, found.occurrences)
    assert [(o.line, o.start) for o in ours.occurrences] == [(1, 4), (1, 25), (1, 46), (2, 0)]
    assert ours.left_out == 1
    assert sense_vectors(tiny_encoder, ()).vectors.shape == (0, 3, 8)
    with pytest.raises(UserInputError, match="mean, first, last, max"):
        sense_vectors(tiny_encoder, (), "sum")  # type: ignore[arg-type]


def test_progress_is_said_between_turns(tiny_encoder: Encoder) -> None:
    events: list[object] = []

    @contextmanager
    def turn():
        events.append("turn")
        yield
        events.append("others may run")

    found = find_occurrences([f"cat {i} and cat" for i in range(3 * BATCH)], "cat").occurrences
    sense_vectors(tiny_encoder, found, turn=turn, progress=lambda *done: events.append(done))
    heard = [one for one in events if isinstance(one, tuple)]
    assert heard == [(2 * n, 6 * BATCH) for n in range(1, 3 * BATCH + 1)]
    assert events.count("turn") > 1
    for event, after in pairwise(events):
        assert (event == "turn") == (after == "others may run")


def test_batches_hold_similar_lengths_within_the_budget(minilm_encoder: Encoder) -> None:
    texts = [tokenize(minilm_encoder.bert, "word " * (1 + 37 * i % 500)) for i in range(60)]
    groups = list(batches_by_length(texts))
    assert sorted(i for group in groups for i in group) == list(range(60))
    lengths = [[len(texts[i]) for i in group] for group in groups]
    assert all(max(group) * len(group) <= BATCH_TOKENS for group in lengths)
    flat = [length for group in lengths for length in group]
    assert flat == sorted(flat, reverse=True)


TWO = np.float32([[0, 0], [0, 1], [1, 0], [9, 9], [9, 8]])


def test_groups_by_hand() -> None:
    groups = group(TWO)
    assert groups.labels.tolist() == [0, 0, 0, 1, 1]
    assert groups.silhouette == pytest.approx(0.909, abs=1e-3)


def test_silhouettes_are_scikit_learns(minilm_encoder: Encoder) -> None:
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    found = prepared_set("spring")
    vectors = sense_vectors(minilm_encoder, found.occurrences).vectors[:, 4]
    groups = group(vectors)
    best = {
        k: silhouette_score(vectors, KMeans(k, n_init=10, random_state=0).fit_predict(vectors))
        for k in range(2, 7)
    }
    assert groups.silhouette == pytest.approx(max(best.values()), abs=1e-5)
    assert groups.count == max(best, key=best.__getitem__)
    sizes = np.bincount(groups.labels)
    assert sizes.tolist() == sorted(sizes, reverse=True)


def test_alike_too_few_or_unlabelled() -> None:
    groups = group(np.ones((5, 3), np.float32))
    assert (groups.labels.tolist(), groups.count) == ([0] * 5, 1)
    assert np.isnan(groups.silhouette)
    with pytest.raises(UserInputError):
        group(TWO[:2])


def test_nearest_by_hand() -> None:
    vectors = np.float32([[1, 0], [0, 2], [3, 3], [-1, 0], [0, 0]])
    rows, cosines = nearest_occurrences(vectors, 0, k=3)
    assert rows == [2, 1, 4]
    assert cosines == pytest.approx([2**-0.5, 0, 0])
    assert nearest_occurrences(vectors, 3)[0] == [1, 4, 2, 0]


def test_one_long_line_takes_little_memory_and_time() -> None:
    content = b"bank " * 1_000_000
    with answers():
        found = find_occurrences(decoded_lines(content)[0], "bank")
    assert (found.total, found.lines, found.shortened) == (1_000_000, 1, 2_000)
    assert len({id(occurrence.sentence) for occurrence in found.occurrences}) < 20


@pytest.mark.parametrize("filling", ["word ", "x"])
def test_the_word_keeps_what_stands_around_it(filling: str) -> None:
    line = "".join(f"{filling * 150} bank{number} bank {filling * 40}" for number in range(60))
    found = all_of("bank", line)
    assert len(found) == 60
    for number, occurrence in enumerate(found):
        assert occurrence.word == "bank"
        assert len(occurrence.sentence) <= MAX_SENTENCE
        assert occurrence.sentence in line
        before = occurrence.sentence[: occurrence.start]
        assert before.endswith(f"bank{number} ")
        assert len(before) > 200 or number == 0 or filling == "x"

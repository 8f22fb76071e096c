"""How far the app's scales hold on texts that did not make them: `python -m scripts.scales`.

It writes the table of docs/methods.md anew, in minutes.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.app_server import ROOT
from bertviz_core.arrays import Array, Exact, Ids, cosine_matrix, frozen
from bertviz_core.bert import load_bert
from bertviz_core.calibration import influence, same_sense, sentences
from bertviz_core.calibration import measure as measure_words
from bertviz_core.calibration.influence import LENGTHS, length_of
from bertviz_core.calibration.same_sense import Uses, uses_of
from bertviz_core.calibration.sentences import PAIRS
from bertviz_core.calibration.word_scales import (
    STYLES,
    Scales,
    content_words,
    known,
    style_sentences,
    unrelated_nouns,
)
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.contextual.marks import MarkedText
from bertviz_core.contextual.occlusion import REMOVALS
from bertviz_core.contextual.sentence_vectors import sentence_vectors
from bertviz_core.contextual.word_vectors import (
    WordInContext,
    similarity_by_layer,
    words_in_context,
    words_of_marks,
)
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.tokens import tokenize

METHODS = ROOT / "docs" / "methods.md"
OUTSIDE = ROOT / "benchmarks" / "outside"
HEAD = "| scale | at | made from | should be beyond | is beyond (95% interval) | holds |"
HELD = {5: (3, 8), 10: (5, 15)}  # percent that may be beyond a line that so many should be
DRAWS = 1000
# Of a word in two senses, two sentences each; shares of pairs of two meanings are of the first two.
OF_TWO_MEANINGS = ("words.tsv", "prose.tsv")
SETS = (*OF_TWO_MEANINGS, "talk.tsv")
ONE_MEANING, IN_GROUP = "one_meaning.tsv", 6  # sentences of each word
MADE_FROM = (
    "30 sentences of each length and style; for one of " + ", ".join(STYLES) + ": the other three"
)
FRAMES = {  # of the same notes: their number, the note
    "in quotes": '"{1}"',
    "in curly quotes": "“{1}”",
    "numbered": "{0}. {1}",
    "after Q:": "Q: {1}",
    "after two words": "Breaking news {1}",
    "before - The Times": "{1} - The Times",
}


class Share(NamedTuple):
    """How many percent lie beyond a line, and its 95% interval."""

    percent: float
    low: float
    high: float


class Row(NamedTuple):
    """One scale at one layer."""

    scale: str
    at: str
    made_from: str
    nominal: int  # how many percent should be beyond
    beyond: Mapping[str, Share]  # by the style of the other texts

    @property
    def holds(self) -> bool:
        """Whether about as many are beyond as should be, in every style."""
        low, high = HELD[self.nominal]
        return all(low <= one.percent <= high for one in self.beyond.values())


def share(
    beyond: NDArray[np.bool_], subjects: Sequence[Any], counted: NDArray[np.bool_] | None = None
) -> Share:
    """The share beyond a line, with an interval by drawing what n texts are about.

    `beyond` is (n, n) with the pairs that are `counted`, or (n,).
    """
    _, numbers, counts = np.unique(np.array(subjects), return_inverse=True, return_counts=True)
    weights = _drawn(len(counts))[:, numbers]

    def by_draw(which: NDArray[np.bool_]) -> Exact:
        summed = (weights @ which).astype(float)
        return summed if counted is None else (summed * weights).sum(axis=1)

    every = np.ones(len(beyond), bool) if counted is None else counted
    ends = np.percentile(100 * by_draw(beyond & every) / by_draw(every), (2.5, 97.5))
    return Share(100 * beyond[every].mean(), *ends.tolist())


@cache
def _drawn(count: int) -> Array:
    """How often each of some subjects is drawn; whole numbers, which float32 holds exactly."""
    shares = np.full(count, 1 / count)
    return np.random.default_rng(0).multinomial(count, shares, DRAWS).astype(np.float32)


@cache
def lines(name: str) -> list[str]:
    """The sentences of a file of benchmarks/outside."""
    return (OUTSIDE / name).read_text(encoding="utf-8").strip().split("\n")


def marked_sentences(name: str) -> list[dict[str, str]]:
    """Sentences with a marked word, of a file of benchmarks/outside; a quote is no quote."""
    return list(csv.DictReader(lines(name), delimiter="\t", quoting=csv.QUOTE_NONE))


def examples() -> list[dict[str, str]]:
    """Sentences with a word in two senses, two of each: word, sense, kind, sentence."""
    return list(csv.DictReader(lines("words.tsv"), delimiter="\t"))


def apart(subjects: Sequence[Any]) -> NDArray[np.bool_]:
    """Which pairs of n texts are about two things: bool (n, n)."""
    return np.not_equal.outer(np.array(subjects), np.array(subjects))


def of_lengths(lengths: Ids, i: int, j: int) -> NDArray[np.bool_]:
    """Which pairs of n texts have these two of `LENGTHS`, in either order: bool (n, n)."""
    shorter, longer = (ends.outer(lengths, lengths) for ends in (np.minimum, np.maximum))
    return (shorter == i) & (longer == j)


class Texts(NamedTuple):
    """Sentences as vectors; pairs of one subject are not unrelated."""

    by_way: Mapping[str, Array]
    lengths: Ids  # numbers in `LENGTHS`
    subjects: Sequence[Any]


@cache
def outside_texts(encoder: Encoder) -> dict[str, Texts]:
    """The styles that made no scale of sentences."""
    notes = lines("notes.txt")
    words = examples()
    plain = [row["sentence"].replace("[", "").replace("]", "") for row in words]
    return {
        "notes": _run(encoder, notes, notes),
        "examples": _run(encoder, plain, [row["word"] for row in words]),
    }


def near_texts(encoder: Encoder) -> dict[str, Texts]:
    """Sentences that are near though unrelated: of one topic, and notes in one frame."""
    drawn: dict[str, list[str]] = {}
    for row in csv.DictReader(lines("topics.tsv"), delimiter="\t"):
        drawn.setdefault(row["topic"], []).append(row["sentence"])
    notes = lines("notes.txt")[:150]
    drawn |= {
        name: [frame.format(i, note) for i, note in enumerate(notes)]
        for name, frame in FRAMES.items()
    }
    return {name: _run(encoder, texts, texts) for name, texts in drawn.items()}


@cache
def making_texts(encoder: Encoder) -> Texts:
    """The sentences that make the scale; as subjects their styles."""
    drawn = {style: sentences.unrelated_texts(encoder.bert, style) for style in STYLES}
    texts = [(text, style) for style, groups in drawn.items() for group in groups for text in group]
    return _run(encoder, *map(list, zip(*texts, strict=True)))


def _run(encoder: Encoder, texts: Sequence[str], subjects: Sequence[Any]) -> Texts:
    read = tokenize(encoder.bert, texts)
    lengths = np.array([length_of(len(text)) for text in read])
    return Texts(sentence_vectors(encoder, read), lengths, subjects)


def normalized(cosines: Exact, with_making: Exact, lengths: Ids, making: Texts) -> Exact:
    """Cosines (n, n) less half of what each text has on average with those as long as the other.

    `with_making` (n, m) are its cosines with the m texts that make the scale, each style alike.
    """
    styles = np.array(making.subjects)
    groups = [
        [(styles == one) & (making.lengths == i) for one in dict.fromkeys(styles)]
        for i in range(len(LENGTHS))
    ]
    by_length = [
        np.mean([np.nanmean(with_making[:, group], axis=1) for group in each], axis=0)
        for each in groups
    ]
    of_other = np.stack(by_length, axis=1)[:, lengths]
    result: Exact = cosines - (of_other + of_other.T) / 2
    return result


def beyond_line(making: Texts, texts: Texts, way: str, layer: int, *, normal: bool) -> Share:
    """How many pairs lie beyond the 95th percentile of pairs of one style, by their lengths."""
    among, own, across = (
        cosine_matrix(one.by_way[way][layer], other.by_way[way][layer]).astype(np.float64)
        for one, other in ((making, making), (texts, texts), (texts, making))
    )
    if normal:
        without_own = np.where(np.eye(len(among), dtype=bool), np.nan, among)
        among = normalized(among, without_own, making.lengths, making)
        own = normalized(own, across, texts.lengths, making)
    within = np.triu(~apart(making.subjects), 1)
    line = np.empty((len(LENGTHS),) * 2)
    for i, j in PAIRS:
        pairs = among[within & of_lengths(making.lengths, i, j)]
        line[[i, j], [j, i]] = np.percentile(pairs, 95)
    above = own > line[texts.lengths[:, None], texts.lengths]
    return share(above, texts.subjects, _compared(texts))


def _compared(texts: Texts) -> NDArray[np.bool_]:
    """Which pairs are about two things and have a scale: bool (n, n)."""
    has_scale = texts.lengths >= 0
    return apart(texts.subjects) & has_scale & has_scale[:, None]


def rows_of_sentences(encoder: Encoder) -> Iterator[Row]:
    """Sentence Vectors: percentiles for a style that did not make them; the ends on the page."""
    every = making_texts(encoder)
    styles = np.array(every.subjects)

    def part(which: NDArray[np.bool_]) -> Texts:
        by_way = {way: vectors[:, which] for way, vectors in every.by_way.items()}
        return Texts(by_way, every.lengths[which], styles[which].tolist())

    tried = {}
    for style in STYLES:
        of_style = part(styles == style)
        alone = of_style._replace(subjects=range(len(of_style.lengths)))
        tried[style] = (part(styles != style), alone)
    tried |= {style: (every, texts) for style, texts in outside_texts(encoder).items()}
    for way, vectors in every.by_way.items():
        for normal in (False, True) if way == "mean" else (False,):
            for layer in range(len(vectors)) if way == "mean" else (len(vectors) - 1,):
                beyond = {
                    style: beyond_line(making, texts, way, layer, normal=normal)
                    for style, (making, texts) in tried.items()
                }
                at = f"layer {layer}" if len(vectors) > 1 else ""
                name = f"sentences, {way}, {'normalized' if normal else 'as it is'}"
                yield Row(name, at, MADE_FROM, 5, beyond)
    unrelated = sentences.unrelated_pairs(encoder)
    last = encoder.bert.num_hidden_layers
    ends = unrelated.measured["mean"][last, :, :, :, 1].max(axis=0)
    groups = {style: tried[style][1] for style in ("plain", "questions", "notes", "examples")}
    for name, of_group in (("unrelated", groups), ("one topic or one frame", near_texts(encoder))):
        beyond = {}
        for style, texts in of_group.items():
            vectors = texts.by_way["mean"][last]
            above = cosine_matrix(vectors, vectors) > ends[texts.lengths[:, None], texts.lengths]
            beyond[style] = share(above, texts.subjects, _compared(texts))
        yield Row(
            f"sentences, mean, {name}", f"layer {last}", "the higher of news and stories", 5, beyond
        )


def words_of_kinds(encoder: Encoder) -> dict[str, list[MarkedText]]:
    """Words that are one token, of one kind, each in the first of other sentences that has it."""
    in_sets = [row["sentence"] for name in SETS for row in marked_sentences(name)]
    texts = [re.sub(r"[\[\]]", "", text) for text in in_sets] + lines("notes.txt")
    texts += [*style_sentences("news"), *style_sentences("questions")]
    by_kind: dict[str, list[MarkedText]] = {}
    for row in csv.DictReader(lines("kinds.tsv"), delimiter="\t"):
        for word in row["words"].split():
            whole = re.compile(rf"(?<![\w'’-]){word}(?![\w'’-])", re.IGNORECASE)
            matches = filter(None, map(whole.search, texts))
            if word in encoder.bert.vocabulary.ids and (match := next(matches, None)):
                mark = MarkedText(match.string, *match.span())
                by_kind.setdefault(row["kind"], []).append(mark)
    return by_kind


@cache
def word_scales(encoder: Encoder) -> Scales:
    """What ships, which a test measures anew; of another model what is measured."""
    return known(encoder.bert) or measure_words(encoder)


@cache
def sets_of(encoder: Encoder) -> same_sense.Measured:
    """What the shipped sets give, measured once."""
    return same_sense.measure(encoder)


def rows_of_words(encoder: Encoder) -> Iterator[Row]:
    """Word in Context: percentiles of cosines of content words, mixed ones and of one kind."""
    scales = word_scales(encoder)
    texts = {style: style_sentences(style) for style in ("news", "questions")}
    texts["notes"] = tuple(lines("notes.txt"))
    mixed = {style: content_words(encoder.bert, each) for style, each in texts.items()}
    of_kinds = words_of_kinds(encoder)
    vectors = {}
    for style, marks in (mixed | of_kinds).items():
        by_itself = [MarkedText(mark.word, 0, len(mark.word)) for mark in marks]
        words = words_of_marks(encoder, [*marks, *by_itself])
        vectors[style] = np.split(np.stack([word.vectors for word in words], axis=1), 2, axis=1)
    for alone, baseline in scales.by_kind.items():
        for name, groups in (("content words", mixed), ("words of one kind", of_kinds)):
            for layer, line in enumerate(baseline.exceeded(95)):
                beyond = {}
                for style, marks in groups.items():
                    first, second = vectors[style]
                    cosines = cosine_matrix(first[layer], (second if alone else first)[layer])
                    counted = apart([mark.text for mark in marks])
                    beyond[style] = share(cosines > line, range(len(cosines)), counted)
                where = f"{name}, one alone" if alone else f"{name} in sentences"
                yield Row(where, f"layer {layer}", "300 words, plain and stories", 5, beyond)


class Pair(NamedTuple):
    """Two sentences of a word."""

    word: str
    same: bool  # whether in one sense
    sentences: tuple[WordInContext, WordInContext]
    uses: Uses


@cache
def outside_pairs(encoder: Encoder, name: str) -> list[Pair]:
    """The pairs of sentences of each word of a file.

    The labels of its two senses are the anchors. In a pair of two senses the first label is that
    of the first sentence.
    """
    rows = marked_sentences(name)
    words = words_in_context(encoder, [row["sentence"] for row in rows])
    labels = list(dict.fromkeys(row["sense"] for row in rows))
    by_label = dict(zip(labels, words_in_context(encoder, labels), strict=True))
    by_word: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        by_word.setdefault(row["word"], []).append(number)
    measured = sets_of(encoder)
    pairs = []
    for word, numbers in by_word.items():
        senses = [rows[number]["sense"] for number in numbers]
        anchors = [by_label[sense] for sense in dict.fromkeys(senses)]
        for i, j in combinations(numbers, 2):
            both = (words[i], words[j])
            same = rows[i]["sense"] == rows[j]["sense"]
            pairs.append(Pair(word, same, both, uses_of(measured, both, anchors)))
    return pairs


def outside_groups(encoder: Encoder) -> Iterator[tuple[str, Sequence[WordInContext], list[str]]]:
    """The words of one meaning, their six sentences, and two nouns to compare them with."""
    rows = marked_sentences(ONE_MEANING)
    words = words_in_context(encoder, [row["sentence"] for row in rows])
    for at in range(0, len(rows), IN_GROUP):
        yield rows[at]["word"], words[at : at + IN_GROUP], rows[at]["sense"].split()


def measure_uses(encoder: Encoder) -> dict[str, NDArray[Any]]:
    """What ships, as `same_sense.measurements` has it."""
    own = [
        [similarity_by_layer(*pair.sentences) for pair in outside_pairs(encoder, name) if pair.same]
        for name in SETS
    ]
    groups = outside_groups(encoder)
    pairs = [pair for _, words, _ in groups for pair in combinations(words, 2)]
    own.append([similarity_by_layer(*pair) for pair in pairs])
    apart = [
        [pair.uses.separation for pair in outside_pairs(encoder, name) if not pair.same]
        for name in OF_TWO_MEANINGS
    ]
    return dict(sets_of(encoder)) | {
        "two meanings": frozen([np.percentile(each, range(101)) for each in apart]),
        "own cosine": frozen(np.min([np.percentile(each, 10, axis=0) for each in own], axis=0)),
    }


def rows_of_influence(encoder: Encoder) -> Iterator[Row]:
    """Word in Context: the largest change by another word, where the anchor is a noun at random."""
    nouns = words_in_context(encoder, unrelated_nouns())
    plain = [row["sentence"].replace("[", "").replace("]", "") for row in examples()]
    beyond = {}  # by style bool (sentences, removals, anchors, layers)
    for style, texts in (("notes", lines("notes.txt")), ("examples", plain)):
        words = content_words(encoder.bert, texts, longest=influence.LONGEST)
        followed = influence.to_follow(encoder.bert, words)
        by_length = influence.largest_changes(encoder, followed, nouns)
        both = zip(by_length, word_scales(encoder).influence[:, :, None], strict=True)
        beyond[style] = np.concatenate([changes > line for changes, line in both])
    made_from = f"20 sentences of each length: {', '.join(STYLES)}"
    for number, removal in enumerate(REMOVALS):
        for layer in range(1, encoder.bert.num_hidden_layers + 1):
            shares = {}
            for style, each in beyond.items():
                of_layer = each[:, number, :, layer]
                sentence = np.repeat(np.arange(len(of_layer)), of_layer.shape[1])
                shares[style] = share(of_layer.ravel(), sentence.tolist())
            done = {"mask": "replaced by [MASK]", "drop": "dropped"}[removal]
            name = f"largest change, a word {done}"
            yield Row(name, f"layer {layer}", made_from, 10, shares)


def rows_of_one_meaning(encoder: Encoder) -> Iterator[Row]:
    """Word in Context: pairs, and groups of six, of one meaning that are called far apart."""
    beyond = {}
    for name in SETS:
        pairs = [pair for pair in outside_pairs(encoder, name) if pair.same]
        few = np.array([pair.uses.one_meaning < 0.1 for pair in pairs])
        beyond[name.removesuffix(".tsv")] = share(few, [pair.word for pair in pairs])
    yield Row("one meaning, pairs", "mean of layers", "14 sets of sentences", 10, beyond)
    groups = list(outside_groups(encoder))
    measured = same_sense.measurements(encoder)
    few = np.array(
        [
            uses_of(measured, words, words_in_context(encoder, anchors)).one_meaning < 0.1
            for _, words, anchors in groups
        ]
    )
    words = {"one meaning": share(few, [word for word, *_ in groups])}
    yield Row("one meaning, groups of six", "mean of layers", "14 sets of sentences", 10, words)


GROUPS: Sequence[Callable[[Encoder], Iterator[Row]]] = (
    rows_of_sentences,
    rows_of_words,
    rows_of_influence,
    rows_of_one_meaning,
)


def table(encoder: Encoder) -> str:
    """All scales as a table in Markdown; what repeats the row above is left out."""
    rows = [HEAD, "| --- " * HEAD.count(" | ") + "| --- |"]
    before = ["", ""]
    for row in (row for group in GROUPS for row in group(encoder)):
        names = [row.scale, row.made_from]
        scale, made_from = (
            "" if name == above else name for name, above in zip(names, before, strict=True)
        )
        before = names
        beyond = ", ".join(
            f"{style} {one.percent:.1f} ({one.low:.1f} to {one.high:.1f})"
            for style, one in row.beyond.items()
        )
        holds = "yes" if row.holds else "no"
        rows.append(f"| {scale} | {row.at} | {made_from} | {row.nominal}% | {beyond} | {holds} |")
    return "\n".join(rows)


def in_methods() -> str:
    """The table as docs/methods.md has it."""
    match = re.search(re.escape(HEAD) + r"(\n\|.*)*", METHODS.read_text(encoding="utf-8"))
    assert match, "docs/methods.md has no table of scales"
    return match.group()


if __name__ == "__main__":
    text = METHODS.read_text(encoding="utf-8")
    rows = table(load_encoder(load_bert(EMBEDDED)))
    METHODS.write_text(text.replace(in_methods(), rows), encoding="utf-8")

"""Two views of lists of words: between two poles such as small and large, and the test WEAT.

WEAT is the association test of Caliskan, Bryson & Narayanan (2017).
"""

from pathlib import Path
from typing import Annotated

from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.bars import words_figure
from bertviz_core.neighbors import axis as core
from bertviz_core.neighbors.axis import Axis, association_test, axis_between, mean_rows, read_words
from bertviz_core.shared import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, TextLine
from bertviz_core.views.parts import alert, caption, joined, note, program, rounded, say, share
from bertviz_core.views.view import Links, Part, View

AXIS_NAME, TEST_NAME = "words-on-an-axis", "association-test"
_FILE = Path(__file__).parents[2] / "data" / "word_lists.tsv"
WORD_LISTS = dict(line.split("\t") for line in _FILE.read_text(encoding="utf-8").splitlines())
RISING, ANY = "from low to high", "in any order"


def _axis(words: str, order: str, low: str, high: str) -> dict[str, str]:
    return {"low": low, "high": high, "words": words, "written": order}


AXES = {
    "size of animals": _axis(WORD_LISTS["animals"], RISING, "small tiny little", "large big huge"),
    "years": _axis(" ".join(map(str, range(1800, 2020))), RISING, "1780 1790", "2020 2021"),
    "wealth": _axis(WORD_LISTS["countries"], RISING, "poor poverty", "rich wealth"),
    "gender and jobs": _axis(WORD_LISTS["jobs"], ANY, "he man him male", "she woman her female"),
    "danger": _axis(
        WORD_LISTS["wild animals"], ANY, "safe harmless calm", "dangerous deadly threatening"
    ),
}
TRY = Links("Try", AXES)
FIRST = AXES["size of animals"]
MIN_PLACED = 3  # words whose order or spread says anything
LEFT_OUT = "Left out, since a pole has it, or BERT has no piece for it: {words}."
HELP = f"Up to {core.MAX_WORDS}, apart by spaces, commas or lines; a list can be pasted."
ORDER = Choice("I wrote them", (RISING, ANY), about="whether words rise as expected")
_by_chance = once(core.by_chance)


@view("words on an axis", page="Nearest Neighbors", rank=20)
def words_on_axis(
    bert: Bert,
    low: Annotated[str, TextLine("From these words", about="the low pole")] = FIRST["low"],
    high: Annotated[str, TextLine("to these words", about="the high pole")] = FIRST["high"],
    words: Annotated[str, TextLine("Words to place", help=HELP)] = FIRST["words"],
    written: Annotated[str, ORDER] = RISING,
) -> View:
    """Where words lie between two poles, such as small and large, by their rows of the table."""
    try:
        given = read_words(bert, words, core.MAX_WORDS)
        axis = axis_between(bert, low, high)
    except UserInputError as error:
        return View(TRY, alert(str(error)))
    in_poles = [*axis.low.values(), *axis.high.values()]
    placed = {word: ids for word, ids in given.items() if ids and ids not in in_poles}
    if len(placed) < MIN_PLACED:
        return View(TRY, alert(f"Write {MIN_PLACED} words to place, or more, which no pole has."))
    names = [f"{word}*" if len(ids) > 1 else word for word, ids in placed.items()]
    vectors = mean_rows(bert.tables.word_embeddings, placed.values())
    places, tokens = axis.places(vectors), bert.vocabulary.tokens
    lost = [word for word in given if word not in placed]
    return card(
        [TRY, _finding(bert, placed, vectors, axis, written == RISING)],
        name=AXIS_NAME,
        chart=words_figure(places, names, (" ".join(axis.low), " ".join(axis.high))),
        alt=f"{len(placed)} words from {shortened(low)} to {shortened(high)}: places from "
        f"{places.min():.2f} to {places.max():.2f}.",
        columns={
            "word": names,
            "place": places,
            "tokens": [" ".join(tokens[row] for row in ids) for ids in placed.values()],
        },
        below=[
            caption("−1 and 1 are the poles, 0 is halfway; * is the mean of a word's pieces."),
            [note(LEFT_OUT, words=shortened(", ".join(lost)))] * bool(lost),
        ],
        program=program(
            AXIS_PROGRAM,
            bert,
            words=[*map(list, placed.values())],
            low=[*map(list, axis.low.values())],
            high=[*map(list, axis.high.values())],
            ordered=written == RISING,
            name=AXIS_NAME,
        ),
        made={"word": shortened(f"{low} to {high}", 40)},
    )


def _finding(bert: Bert, placed: core.Words, vectors: Exact, axis: Axis, ordered: bool) -> Part:
    """Which words are at the ends, and whether axes between random words do as much."""
    names, places = [*placed], axis.places(vectors)
    own = float(core.measured(vectors, axis.direction, ordered))
    rows, low, high = tuple(placed.values()), len(axis.low), len(axis.high)
    by_poles, by_weights = _by_chance(bert, rows, low, high, ordered)
    form = rounded if ordered else share
    return say(
        "From {low} to {high}: first <b>{first}</b>, last <b>{last}</b>. "
        + ("Rank correlation with your order" if ordered else "Share of the variance along it")
        + ": <b>{measured}</b>, {within} the {poles} that 95% of {draws:,} axes between random "
        "words have (with random weights {weights}).",
        method=AXIS_NAME,
        low=shortened(" ".join(axis.low)),
        high=shortened(" ".join(axis.high)),
        first=names[places.argmin()],
        last=names[places.argmax()],
        measured=form(own),
        within="within" if by_poles[0] <= own <= by_poles[1] else "beyond",
        draws=core.DRAWS,
        poles=" to ".join(map(form, by_poles)),
        weights=" to ".join(map(form, by_weights)),
    )


AXIS_PROGRAM = '''
"""Words between two poles, and the same by chance."""

words = ...  # token ids of each word
low = ...  # token ids of each word of the low pole
high = ...  # and of the high pole
ordered = ...  # whether the words are in an order that one expects
tokenizer, model = ...
table = model.embeddings.word_embeddings.weight.detach().double().numpy()
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
letters = [row for row, token in enumerate(tokens) if token and token.isalpha()]
rows = np.stack([table[ids].mean(axis=0) for ids in words])


def measured(rows: np.ndarray, axis: np.ndarray) -> float:
    along = rows @ axis
    if ordered:
        return spearmanr(along, range(len(rows))).statistic
    return 100 * along.var() / (axis @ axis) / rows.var(axis=0).sum()  # percent of the variance


start, end = (np.mean([table[ids].mean(axis=0) for ids in one], axis=0) for one in (low, high))
axis = end - start
for ids, row in zip(words, rows, strict=True):
    print(*(tokens[i] for i in ids), f"{(2 * row - start - end) @ axis / (axis @ axis):.4f}")
generator = np.random.default_rng(0)
drawn = [table[generator.choice(letters, len(low + high))] for _ in range(1000)]
others = [one[len(low) :].mean(axis=0) - one[: len(low)].mean(axis=0) for one in drawn]
random = generator.standard_normal((1000 + len(words), table.shape[1]))
by_poles = [measured(rows, one) for one in others]
by_weights = [measured(random[1000:], one) for one in random[:1000]]
ends = np.percentile([by_poles, by_weights], [2.5, 97.5], axis=1).T.ravel()
for one in (measured(rows, axis), *ends):  # then by chance: random words, random numbers
    print(f"{one:.2f}" if ordered else f"{one:.1f}%")
'''


def _lists(*names: str) -> dict[str, str]:
    lists = [f"{name}: {WORD_LISTS[name]}" for name in names]
    return dict(zip(("t1", "t2", "a1", "a2"), lists, strict=True))


# Tests 1, 7 and 6 of Caliskan, Bryson & Narayanan (2017).
TESTS = {
    "flowers and insects": _lists("flowers", "insects", "pleasant", "unpleasant"),
    "maths and arts": _lists("maths", "arts", "male", "female"),
    "careers": _lists("men's names", "women's names", "career", "family"),
}
PUBLISHED = Links("Published tests", TESTS)
LEFT_OUT_TWICE = "Left out, since the words to lean to have it as well: {words}."
FIRST_TEST = TESTS["flowers and insects"]
T1 = TextLine(
    "Are these words", about="the first list", help="A name may stand first: pets: dog cat"
)


@view("association test", page="Nearest Neighbors", rank=30)
def association(
    bert: Bert,
    t1: Annotated[str, T1] = FIRST_TEST["t1"],
    t2: Annotated[str, TextLine("more than these", about="the second list")] = FIRST_TEST["t2"],
    a1: Annotated[str, TextLine("near to these", about="what the first is near to")] = FIRST_TEST[
        "a1"
    ],
    a2: Annotated[str, TextLine("and not to these?", about="the other side")] = FIRST_TEST["a2"],
) -> View:
    """Whether one list of words leans to some words more than another list does: WEAT."""
    table, names, counts = bert.tables.word_embeddings, list[str](), list[str]()
    lists = list[dict[str, int]]()
    try:
        for text in (t1, t2, a1, a2):
            name, _, listed = text.rpartition(":")
            found = read_words(bert, listed)
            lists.append({word: ids[0] for word, ids in found.items() if len(ids) == 1})
            names.append(name.strip() or shortened(", ".join(lists[-1]), 24))
            counts.append(f"{names[-1]} {len(lists[-1])} of {len(found)}")
        # With itself an attribute has a cosine of 1.
        both = [word for one in lists[:2] for word in one if word in lists[2] | lists[3]]
        lists[:2] = [{word: one[word] for word in one if word not in both} for one in lists[:2]]
        test = association_test(*(table[[*one.values()]] for one in lists))
    except UserInputError as error:
        return View(PUBLISHED, alert(str(error)))
    words, count = [*lists[0], *lists[1]], len(lists[0])
    groups = ((names[0], slice(count)), (names[1], slice(count, None)))
    return card(
        [
            PUBLISHED,
            say(
                "<b>{first}</b> lean to <b>{near}</b> {more} than <b>{second}</b> do: effect size "
                "d = <b>{effect}</b> (0: alike; near 2: apart; below 0: less). Of {tried} "
                "divisions of all these words into two such lists, a share of p = <b>{p}</b> "
                "leans at least as far this way; with so many words p is {least} at least.",
                method=TEST_NAME,
                first=names[0],
                second=names[1],
                near=names[2],
                more="more" if test.effect > 0 else "no more",
                effect=rounded(test.effect),
                p=_share(test.p),
                least=_share(1 / test.tried),
                tried=f"{test.tried:,}",
            ),
            caption(
                "This says nothing about people: neither what anyone thinks, nor what is true of "
                "anyone, only which rows are near after training on texts. Lists on any two topics "
                "differ in something, so a small p alone says little."
            ),
        ],
        name=TEST_NAME,
        chart=words_figure(test.scores, words, (names[3], names[2]), groups=groups),
        alt=f"{len(words)} words between {names[3]} and {names[2]}: mean of {names[0]} "
        f"{test.scores[:count].mean():.3f}, of {names[1]} {test.scores[count:].mean():.3f}.",
        columns={
            "word": words,
            "list": [names[number >= count] for number in range(len(words))],
            "cosine with one side less the other": test.scores,
        },
        below=[
            caption("Only words that are one token count: {counts}.", counts=joined(counts)),
            [note(LEFT_OUT_TWICE, words=shortened(", ".join(dict.fromkeys(both))))] * bool(both),
        ],
        program=program(
            TEST_PROGRAM, bert, lists=[[*one.values()] for one in lists], name=TEST_NAME
        ),
        made={"word": shortened(f"{names[0]}, {names[1]}", 40)},
    )


def _share(p: float) -> str:
    return f"{p:.2g}" if p >= 0.001 else f"{p:.5f}"


TEST_PROGRAM = '''
"""Whether one list of words leans to some words more than another list does: WEAT."""

lists = ...  # token ids of both lists, then of the words that they lean to, or less
tokenizer, model = ...
table = model.embeddings.word_embeddings.weight.detach().double().numpy()
first, second, near, other = (table[rows] for rows in lists)
words = np.concatenate([first, second])
scores = cosine_similarity(words, near).mean(axis=1) - cosine_similarity(words, other).mean(axis=1)
for row, score in zip(lists[0] + lists[1], scores, strict=True):
    print(tokenizer.convert_ids_to_tokens(row), f"{score:.4f}")
found = permutation_test(
    np.split(scores, [len(first)]),
    lambda one, two, axis: one.mean(axis=axis) - two.mean(axis=axis),
    vectorized=True,
    n_resamples=20_000,
    batch=1_000,
    alternative="greater",
    rng=0,
)
print(f"d = {found.statistic / scores.std(ddof=1):.2f}, p = {found.pvalue:.5f}")
'''

"""Words between two poles, such as small and large."""

from pathlib import Path
from typing import Annotated

from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.bars import words_figure
from bertviz_core.neighbors.axis import (
    DRAWS,
    MAX_WORDS,
    Axis,
    Words,
    axis_between,
    chance_range,
    read_words,
    score_along,
)
from bertviz_core.neighbors.search import mean_rows
from bertviz_core.shared.results import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, TextLine
from bertviz_core.views.parts import Links, Part
from bertviz_core.views.view import View, alert, caption, note, program, rounded, say, share

NAME = "words-on-an-axis"
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
HELP = f"Up to {MAX_WORDS}, apart by spaces, commas or lines; a list can be pasted."
ORDER = Choice("I wrote them", (RISING, ANY), about="whether words rise as expected")
_chance_range = once(chance_range)


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
        ids_of = read_words(bert, words, MAX_WORDS)
        axis = axis_between(bert, low, high)
    except UserInputError as error:
        return View(TRY, alert(str(error)))
    in_poles = [*axis.low.values(), *axis.high.values()]
    axis_words = {word: ids for word, ids in ids_of.items() if ids and ids not in in_poles}
    if len(axis_words) < MIN_PLACED:
        return View(TRY, alert(f"Write {MIN_PLACED} words to place, or more, which no pole has."))
    names = [f"{word}*" if len(ids) > 1 else word for word, ids in axis_words.items()]
    vectors = mean_rows(bert.tables.word_embeddings, axis_words.values())
    places = axis.places(vectors)
    tokens = bert.vocabulary.tokens
    left_out = [word for word in ids_of if word not in axis_words]
    return card(
        [TRY, _finding(bert, axis_words, vectors, axis, written == RISING)],
        name=NAME,
        chart=words_figure(places, names, (" ".join(axis.low), " ".join(axis.high))),
        alt=f"{len(axis_words)} words from {shortened(low)} to {shortened(high)}: places from "
        f"{places.min():.2f} to {places.max():.2f}.",
        columns={
            "word": names,
            "place": places,
            "tokens": [" ".join(tokens[row] for row in ids) for ids in axis_words.values()],
        },
        below=[
            caption("−1 and 1 are the poles, 0 is halfway; * is the mean of a word's pieces."),
            note(LEFT_OUT, words=shortened(", ".join(left_out))) if left_out else [],
        ],
        program=program(
            PROGRAM,
            bert,
            words=[*map(list, axis_words.values())],
            low=[*map(list, axis.low.values())],
            high=[*map(list, axis.high.values())],
            ordered=written == RISING,
            name=NAME,
        ),
        made={"word": shortened(f"{low} to {high}", 40)},
    )


def _finding(bert: Bert, axis_words: Words, vectors: Exact, axis: Axis, ordered: bool) -> Part:
    """Which words are at the ends, and whether axes between random words do as much."""
    names = [*axis_words]
    places = axis.places(vectors)
    score = float(score_along(vectors, axis.direction, ordered))
    sizes = len(axis.low), len(axis.high)
    least, most = _chance_range(bert, tuple(axis_words.values()), *sizes, ordered)
    form = rounded if ordered else share
    return say(
        "From {low} to {high}: first <b>{first}</b>, last <b>{last}</b>. "
        + ("Rank correlation with your order" if ordered else "Share of the variance along it")
        + ": <b>{measured}</b>, {within} the {poles} that 95% of {draws:,} axes between random "
        "words have.",
        method=NAME,
        low=shortened(" ".join(axis.low)),
        high=shortened(" ".join(axis.high)),
        first=names[places.argmin()],
        last=names[places.argmax()],
        measured=form(score),
        within="within" if least <= score <= most else "beyond",
        draws=DRAWS,
        poles=f"{form(least)} to {form(most)}",
    )


PROGRAM = '''
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
ends = np.percentile([measured(rows, one) for one in others], [2.5, 97.5])
for one in (measured(rows, axis), *ends):  # then by chance
    print(f"{one:.2f}" if ordered else f"{one:.1f}%")
'''

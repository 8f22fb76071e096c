"""Words of one's own between two poles, such as small and large; a second axis makes a plane."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import numpy as np

from bertviz_core.arrays import Exact, held_out_ridge, standard_ranks
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.neighbors import words_figure
from bertviz_core.neighbors import TokenMap
from bertviz_core.neighbors import axis as core
from bertviz_core.neighbors.axis import Axis, axis_between, mean_rows, read_words
from bertviz_core.shared import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Line
from bertviz_core.views.nearest_neighbors.map_figure import Found, highlights, map_figure
from bertviz_core.views.nearest_neighbors.presets import ANY, AXES, ON_AXIS, ON_MAP, RISING, TRY
from bertviz_core.views.nearest_neighbors.token_map import TSNE, Map
from bertviz_core.views.parts import alert, caption, note, program, say
from bertviz_core.views.sentences import rounded, share
from bertviz_core.views.view import Overlay, Part, View

METHOD = NAME = "words-on-an-axis"
FIRST = AXES["size of animals"]
MIN_PLACED = 3  # words whose order or spread says anything
MIN_NUMBERS, FOLDS = 20, 5  # to learn from; parts, of which each is read from the others
RIDGE = 0.01  # penalty
LEFT_OUT = "Left out, since a pole has it, or BERT has no piece for it: {words}."
HELP = f"Up to {core.MAX_WORDS}, apart by spaces, commas or lines; a list can be pasted."
ORDER = Choice("I wrote them", (RISING, ANY), about="whether words rise as expected")
_by_chance = once(core.by_chance)


@view("words on an axis", page="Nearest Neighbors", rank=20)
def words_on_axis(
    bert: Bert,
    layout: TokenMap | None = None,
    mapby: str = TSNE,
    low: Annotated[str, Line("From these words", about="the low pole")] = FIRST["low"],
    high: Annotated[str, Line("to these words", about="the high pole")] = FIRST["high"],
    words: Annotated[str, Line("Words to place", help=HELP)] = FIRST["words"],
    low2: Annotated[str, Line("Second axis from", placeholder="none")] = "",
    high2: Annotated[str, Line("Second axis to", placeholder="none")] = "",
    order: Annotated[str, ORDER] = RISING,
    on: Annotated[str, Choice("Draw them", (ON_AXIS, ON_MAP), about="where they are")] = ON_AXIS,
) -> View:
    """Where words lie between two poles, such as small and large, by their rows of the table."""
    ends = [(low, high)] + [(low2, high2)] * bool(low2.strip() or high2.strip())
    try:
        given = read_words(bert, words, core.MAX_WORDS)
        axes = [axis_between(bert, *one) for one in ends]
    except UserInputError as error:
        return View(TRY, alert(str(error)))
    in_poles = [ids for one in axes for pole in one[:2] for ids in pole.values()]
    placed = {word: ids for word, ids in given.items() if ids and ids not in in_poles}
    if len(placed) < MIN_PLACED:
        return View(TRY, alert(f"Write {MIN_PLACED} words to place, or more, which no pole has."))
    rows, ordered = tuple(placed.values()), order == RISING
    names = [f"{word}*" if len(ids) > 1 else word for word, ids in placed.items()]
    vectors, tokens = mean_rows(bert.tables.word_embeddings, rows), bert.vocabulary.tokens
    pieces = [" ".join(tokens[row] for row in ids) for ids in rows]
    places = [one.places(vectors) for one in axes]
    ends = [(" ".join(one.low), " ".join(one.high)) for one in axes]
    figure, on_map = words_figure(places, names, ends), list[Part]()
    if on == ON_MAP:
        shown = Map.of(bert, layout, mapby)
        figure, on_map = map_figure(shown.cloud), _on_map(shown, rows, places[0])
    lost = [word for word in given if word not in placed]
    return card(
        [TRY, *(_finding(bert, placed, vectors, one, ordered) for one in axes)],
        name=NAME,
        chart=figure,
        alt=f"{len(placed)} words from {shortened(low)} to {shortened(high)} {on}: places "
        f"from {places[0].min():.2f} to {places[0].max():.2f}.",
        columns={
            "word": names,
            **dict(zip(("place", "place on the second axis"), places, strict=False)),
            "tokens": pieces,
        },
        below=[
            on_map,
            caption("−1 and 1 are the poles, 0 is halfway; * is the mean of a word's pieces."),
            _about_numbers(vectors, pieces),
            [note(LEFT_OUT, words=shortened(", ".join(lost)))] * bool(lost),
        ],
        program=program(
            PROGRAM,
            bert,
            words=[*map(list, rows)],
            axes=[[[*map(list, pole.values())] for pole in one[:2]] for one in axes],
            ordered=ordered,
            name=NAME,
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
        method=METHOD,
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


def _on_map(shown: Map, rows: core.Rows, places: Exact) -> list[Part]:
    """The words that are one token, on the map of the token table, by their place."""
    pairs = zip(rows, places.tolist(), strict=True)
    single = {ids[0]: at for ids, at in pairs if len(ids) == 1}
    points, tokens = shown.drawn.points, shown.bert.vocabulary.tokens
    middle = np.median(points[[*single]], axis=0)  # the button goes to the first row
    own = sorted(single, key=lambda row: float(np.hypot(*(points[row] - middle))))
    searches = [Found(own, [], [single[row] for row in own])] if own else []
    return [
        Overlay(NAME, partial(highlights, points, tokens, searches, shown.cloud)),
        caption(
            "{points} of {words} words are one token and have a point here: dark is low on the "
            "first axis, bright is high.",
            points=len(own),
            words=len(rows),
        ),
    ]


def _about_numbers(vectors: Exact, words: Sequence[str]) -> list[Part]:
    """How well rows tell their number, where all words are numbers, and enough to learn from."""
    numbers = np.array([float(word) for word in words if word.isdecimal()])
    if not MIN_NUMBERS <= len(words) == len(np.unique(numbers)):
        return []
    component = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)[0][:, 0]
    folds = np.random.default_rng(core.SEED).permutation(len(numbers)) % FOLDS
    errors = held_out_ridge(vectors, numbers, folds, RIDGE) - numbers
    return [
        caption(
            "These {numbers} rows lie in order on their first principal component: rank "
            "correlation <b>{component}</b>. Ridge regression reads a fifth of the numbers from "
            "the other rows: R² <b>{fit}</b>, median error <b>{error}</b>.",
            numbers=len(words),
            component=rounded(abs(float(standard_ranks(component) @ standard_ranks(numbers))), 3),
            fit=rounded(1 - np.square(errors).mean() / numbers.var()),
            error=f"{np.median(np.abs(errors)):.1f}",
        )
    ]


PROGRAM = '''
"""Words between two poles, and the same by chance."""

words = ...  # token ids of each word
axes = ...  # of each axis the token ids of each word of its low pole, then of its high pole
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


for low, high in axes:
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

read_as = [tokens[ids[0]] for ids in words if len(ids) == 1]
if len(words) == len(read_as) >= 20 and all(token.isdecimal() for token in read_as):
    values = np.array(read_as, dtype=float)
    component = PCA(1, svd_solver="full").fit_transform(rows)[:, 0]
    print(f"first principal component {abs(spearmanr(component, values).statistic):.3f}")
    fifths = PredefinedSplit(np.random.default_rng(0).permutation(len(values)) % 5)
    read = cross_val_predict(Ridge(alpha=0.01), rows, values, cv=fifths)
    print(f"ridge R squared {r2_score(values, read):.2f}, off by")
    print(f"{np.median(abs(read - values)):.1f}")
'''

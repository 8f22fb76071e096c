"""Words of one's own between two poles, such as small and large; a second axis makes a plane."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Exact, cosine
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.axes import label
from bertviz_core.figures.drawing import Figure
from bertviz_core.figures.neighbors import lanes, words_figure
from bertviz_core.neighbors import TokenMap
from bertviz_core.neighbors import axis as core
from bertviz_core.neighbors.axis import Axis, axis_between, mean_rows, read_words
from bertviz_core.shared import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Line
from bertviz_core.views.nearest_neighbors import presets
from bertviz_core.views.nearest_neighbors.map_figure import Found, highlights, map_figure
from bertviz_core.views.nearest_neighbors.presets import ANY, ON_AXIS, ON_MAP, RISING
from bertviz_core.views.nearest_neighbors.token_map import TSNE, Map
from bertviz_core.views.parts import alert, caption, note, program, say
from bertviz_core.views.sentences import joined, rounded, share
from bertviz_core.views.view import Overlay, Part, View

METHOD = NAME = "words-on-an-axis"
MIN_MEASURED = 3  # words whose order or spread says anything
MIN_NUMBERS = 20  # to learn from
MAX_SAID = 8  # words that a note names
MAX_END = 20  # letters of a pole beside an axis
Placed = Mapping[str, tuple[int, ...]]  # words and their rows of the token table
Finding = tuple[str, dict[str, Any]]  # a template and its values
WORDS = Line(
    "Words to place",
    help=f"Up to {core.MAX_WORDS}, apart by spaces, commas or lines; a list can be pasted.",
)
ORDER = Choice("I wrote them", (RISING, ANY), about="whether words rise as expected")


@view("words on an axis", page="Nearest Neighbors", rank=20)
def words_on_axis(
    bert: Bert,
    layout: TokenMap | None = None,
    mapby: str = TSNE,
    low: Annotated[str, Line("From these words", about="the low pole")] = presets.SMALL,
    high: Annotated[str, Line("to these words", about="the high pole")] = presets.LARGE,
    words: Annotated[str, WORDS] = presets.ANIMALS,
    low2: Annotated[str, Line("Second axis from", placeholder="none")] = "",
    high2: Annotated[str, Line("Second axis to", placeholder="none")] = "",
    order: Annotated[str, ORDER] = RISING,
    on: Annotated[str, Choice("Draw them", (ON_AXIS, ON_MAP), about="where they are")] = ON_AXIS,
) -> View:
    """Where words lie between two poles, such as small and large, by their rows of the table."""
    ends = [(low, high)] + [(low2, high2)] * bool(low2.strip() or high2.strip())
    try:
        given, axes = read_words(bert, words), [axis_between(bert, *one) for one in ends]
    except UserInputError as error:
        return View(presets.AXES, alert(str(error)))
    poles = [pole for one in axes for pole in one[:2]]
    ids_of_poles = [ids for pole in poles for ids in pole.token_ids.values()]
    placed = {word: ids for word, ids in given.token_ids.items() if ids not in ids_of_poles}
    if not placed:
        return View(presets.AXES, alert("There is no word to place. Write some that BERT knows."))
    rows = [*placed.values()]
    vectors, tokens = mean_rows(bert.tables.word_embeddings, rows), bert.vocabulary.tokens
    places = [one.places(vectors) for one in axes]
    orders = [order == RISING, False][: len(axes)]  # along a second axis none is known
    figure, below = _figure(placed, axes, places, orders[0])
    if on == ON_MAP:
        figure, below = _on_map(Map.of(bert, layout, mapby), placed, places[0])
    each = zip(axes, places, orders, strict=True)
    (first, values), *second = (_finding(bert, placed, *one) for one in each)
    columns: dict[str, Any] = {
        "word": [*placed],
        "place": places[0],
        **({"place on the second axis": places[1]} if len(axes) > 1 else {}),
        "as you wrote them": range(1, len(placed) + 1),
        "tokens": [" ".join(tokens[row] for row in ids) for ids in rows],
    }
    return card(
        [
            presets.AXES,
            say(first, method=METHOD, **values),
            *(caption(said, **its_values) for said, its_values in second),
        ],
        name=NAME,
        chart=figure,
        alt=f"{len(placed)} words from {shortened(low)} to {shortened(high)} {on}: places "
        f"from {places[0].min():.2f} to {places[0].max():.2f}.",
        columns=columns,
        below=[below, _about_numbers(vectors, columns["tokens"]), _left_out(given, poles, placed)],
        program=program(
            PROGRAM,
            bert,
            words=[*map(list, rows)],
            axes=[[[*map(list, pole.token_ids.values())] for pole in one[:2]] for one in axes],
            orders=orders,
            name=NAME,
        ),
        made={"word": shortened(f"{low} to {high}", 40)},
    )


@once
def _by_chance(
    bert: Bert, low: str, high: str, rows: tuple[tuple[int, ...], ...], ordered: bool
) -> core.Chance:
    return core.by_chance(bert, rows, axis_between(bert, low, high), ordered=ordered)


def _finding(bert: Bert, placed: Placed, axis: Axis, places: Exact, ordered: bool) -> Finding:
    """Which words are at the ends, and whether axes between random words do as much."""
    low, high = " ".join(axis.low.token_ids), " ".join(axis.high.token_ids)
    values: dict[str, Any] = {
        "low": shortened(low),
        "high": shortened(high),
        "first": [*placed][int(places.argmin())],
        "last": [*placed][int(places.argmax())],
        "from": rounded(places.min()),
        "to": rounded(places.max()),
    }
    template = "From {low} to {high}: first <b>{first}</b> ({from}), last <b>{last}</b> ({to})."
    if len(placed) < MIN_MEASURED:
        return template, values
    found = _by_chance(bert, low, high, tuple(placed.values()), ordered)
    what, form = ("your order", rounded) if ordered else ("what tells them apart", share)
    verdict = f"{'More' if found.own > found.poles[1] else 'No more'} of {what} than by chance"
    if ordered and found.own < found.poles[0]:
        verdict = f"The reverse of {what}"
    template += (
        f" {verdict}: {'rank correlation' if ordered else 'share of the variance'} "
        f"<b>{{measured}}</b> (95 of {core.DRAWS} axes between random words: {{by-poles}}; with "
        "random weights: {by-weights})."
    )
    return template, values | {
        "measured": form(found.own),
        "by-poles": " to ".join(map(form, found.poles)),
        "by-weights": " to ".join(map(form, found.weights)),
    }


def _figure(
    placed: Placed, axes: Sequence[Axis], places: Sequence[Exact], ordered: bool
) -> tuple[Figure, list[Part]]:
    """One axis, or a plane: upright is the second axis, or the order in which words are given."""
    ends = [[label(" ".join(pole.token_ids), MAX_END) for pole in one[:2]] for one in axes]
    titles = [f"← {low} | {high} →" for low, high in ends]
    values, more = dict[str, Any](), "Up and down only makes room for names."
    upright, title = lanes(places[0]), ""
    if len(axes) > 1:
        upright, title = places[1], titles[1]
        values = {"axes": float(cosine(axes[0].direction, axes[1].direction))}
        more = "The axes have cosine {axes:.2f}; at 0 they would have nothing in common."
    elif ordered:
        upright, title = np.arange(1.0, len(placed) + 1), "as you wrote them →"
        more = "In your order all points would rise from left to right."
    said = zip(placed, *places, strict=True)
    figure = words_figure(
        np.column_stack([places[0], upright]),
        [*placed],
        ["<br>".join([label(word), *(f"{at:.3f}" for at in found)]) for word, *found in said],
        (titles[0], title),
        rings=[len(ids) > 1 for ids in placed.values()],
        groups=[("", range(len(placed)))],
    )
    return figure, [caption(f"−1 and 1 are the poles, 0 is halfway. {more}", **values)]


def _on_map(shown: Map, placed: Placed, places: Exact) -> tuple[Figure, list[Part]]:
    """The words that are one token, on the map of the token table, by their place."""
    pairs = zip(placed.values(), places.tolist(), strict=True)
    single = {ids[0]: at for ids, at in pairs if len(ids) == 1}
    searches = [Found([*single], [], [*single.values()])] if single else []
    points, tokens = shown.drawn.points, shown.bert.vocabulary.tokens
    return map_figure(shown.cloud), [
        Overlay(NAME, partial(highlights, points, tokens, searches, shown.cloud)),
        caption(
            "{points} of {words} words are one token and have a point here: dark is low on the "
            "first axis, bright is high.",
            points=len(single),
            words=len(placed),
        ),
    ]


def _about_numbers(vectors: Exact, words: Sequence[str]) -> list[Part]:
    """How well rows tell their number, where all words are numbers, and enough to learn from."""
    numbers = np.array([float(word) for word in words if word.isdecimal()])
    if not MIN_NUMBERS <= len(words) == len(np.unique(numbers)):
        return []
    component, fit, error = core.numbers_read(vectors, numbers)
    return [
        caption(
            "These {numbers} rows lie in order on their first principal component: rank "
            "correlation <b>{component}</b>. Ridge regression reads a fifth of the numbers from "
            "the other rows: R² <b>{fit}</b>, median error <b>{error}</b>.",
            numbers=len(words),
            component=rounded(component, 3),
            fit=rounded(fit),
            error=f"{error:.1f}",
            method=METHOD,
        )
    ]


def _left_out(given: core.Words, poles: Sequence[core.Words], placed: Placed) -> list[Part]:
    """What else became of the words that were typed."""
    lists = [given, *poles]
    pairs = zip(poles[::2], poles[1::2], strict=True)
    said = {
        "Not one token, so the mean of its pieces' rows, and a ring: {words}.": [
            word for word, ids in placed.items() if len(ids) > 1
        ],
        "Not placed, since it is in a pole: {words}.": [
            word for word in given.token_ids if word not in placed
        ],
        "In both poles, where it says little: {words}.": [
            word for low, high in pairs for word in low.token_ids if word in high.token_ids
        ],
        "Left out, since BERT has no piece for it: {words}.": [
            word for one in lists for word in one.unknown
        ],
        "Left out, since a list is too long: {words}.": [
            word for one in lists for word in one.beyond
        ],
    }
    return [note(text, words=_first(words)) for text, words in said.items() if words]


def _first(words: Sequence[str]) -> str:
    """Some words for a sentence, and how many more there are."""
    more = [f"{len(words) - MAX_SAID:,} more"] if len(words) > MAX_SAID else []
    return joined([*words[:MAX_SAID], *more])


PROGRAM = r'''
"""Words between two poles, and the same by chance."""

words = ...  # token ids of each word
axes = ...  # of each axis the token ids of each word of its low pole, then of its high pole
orders = ...  # whether the words are in the order that one expects along each axis
tokenizer, model = ...
table = model.embeddings.word_embeddings.weight.detach().double().numpy()
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
no_word = re.compile(r"##.+|\[unused\d+\]")
special = tokenizer.all_special_tokens
whole = [i for i, t in enumerate(tokens) if t and t not in special and not no_word.fullmatch(t)]


def vectors(table: np.ndarray, words: list) -> np.ndarray:
    return np.stack([table[ids].mean(axis=0, dtype=float) for ids in words])


def measured(rows: np.ndarray, axis: np.ndarray, ordered: bool) -> float:
    along = rows @ axis
    if ordered:
        return spearmanr(along, range(len(rows))).statistic
    return 100 * along.var() / (axis @ axis) / rows.var(axis=0).sum()  # percent of the variance


for (low, high), ordered in zip(axes, orders, strict=True):
    start, end = (vectors(table, pole).mean(axis=0) for pole in (low, high))
    axis = end - start
    for ids, vector in zip(words, vectors(table, words), strict=True):
        place = (2 * vector - start - end) @ axis / (axis @ axis)
        print(*(tokens[i] for i in ids), f"{place:.4f}")
    if len(words) < 3:
        continue
    generator = np.random.default_rng(0)
    drawn = table[generator.choice(whole, (100, len(low) + len(high)))]
    others = drawn[:, len(low) :].mean(axis=1) - drawn[:, : len(low)].mean(axis=1)
    by_poles = [measured(vectors(table, words), one, ordered) for one in others]
    used = np.unique(sum(words + low + high, []))
    by_weights = []
    for _ in range(100):
        drawn = np.zeros(table.shape, np.float32)
        drawn[used] = generator.standard_normal((len(used), table.shape[1]), np.float32)
        ends = [vectors(drawn, pole).mean(axis=0) for pole in (low, high)]
        by_weights.append(measured(vectors(drawn, words), ends[1] - ends[0], ordered))
    own = measured(vectors(table, words), axis, ordered)
    digits = ".2f" if ordered else ".1f"
    print("rank correlation" if ordered else "percent of the variance", f"{own:{digits}}")
    for found in (by_poles, by_weights):
        print("by chance", *(f"{end:{digits}}" for end in np.percentile(found, [2.5, 97.5])))

read_as = [tokens[ids[0]] for ids in words if len(ids) == 1]
if len(words) == len(read_as) >= 20 and all(token.isdecimal() for token in read_as):
    rows, values = vectors(table, words), np.array(read_as, dtype=float)
    component = PCA(1, svd_solver="full").fit_transform(rows)[:, 0]
    print(f"first principal component {abs(spearmanr(component, values).statistic):.3f}")
    fifths = PredefinedSplit(np.random.default_rng(0).permutation(len(values)) % 5)
    read = cross_val_predict(Ridge(alpha=0.01), rows, values, cv=fifths)
    error = np.median(abs(values - read))
    print(f"ridge R squared {r2_score(values, read):.2f}, median error {error:.1f}")
'''

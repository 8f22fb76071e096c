"""The association test of Caliskan, Bryson & Narayanan (2017), and what it does not say."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.axes import label
from bertviz_core.figures.neighbors import MAX_LANES, lanes, words_figure
from bertviz_core.neighbors.association import (
    MAX_EXACT,
    MAX_LISTED,
    Association,
    association_test,
    random_topics,
    topic_effects,
)
from bertviz_core.neighbors.axis import read_words
from bertviz_core.shared import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Line
from bertviz_core.views.nearest_neighbors.presets import PUBLISHED, TESTS
from bertviz_core.views.parts import alert, caption, note, program, say
from bertviz_core.views.sentences import joined, rounded
from bertviz_core.views.view import View

METHOD = NAME = "association-test"
FIRST = TESTS["flowers and insects"]
T1 = Line("Are these words", about="the first list", help="A name may stand first: pets: dog cat")
LEFT_OUT = "Left out, since they are not one token or beyond the first {most}: {dropped}."
_topics = once(random_topics)


@once
def _tested(bert: Bert, lists: tuple[tuple[int, ...], ...]) -> tuple[Association, int, int]:
    """The test of four lists of rows; how many pairs of topics do as much, and of how many."""
    table = bert.tables.word_embeddings
    first, second, *sides = (table[list(rows)] for rows in lists)
    test = association_test(first, second, *sides)
    effects = topic_effects(table, _topics(bert), (len(first), len(second)), *sides)
    return test, int((np.abs(effects) >= abs(test.effect)).sum()), len(effects)


@view("association test", page="Nearest Neighbors", rank=30)
def association(
    bert: Bert,
    t1: Annotated[str, T1] = FIRST["t1"],
    t2: Annotated[str, Line("more than these", about="the second list")] = FIRST["t2"],
    a1: Annotated[str, Line("near to these", about="what the first is near to")] = FIRST["a1"],
    a2: Annotated[str, Line("and not to these?", about="the other side")] = FIRST["a2"],
) -> View:
    """Whether one list of words leans to some words more than another list does: WEAT."""
    names, lists, dropped = list[str](), list[dict[str, int]](), list[str]()
    for text in (t1, t2, a1, a2):
        name, _, listed = text.rpartition(":")
        found = read_words(bert, listed, MAX_LISTED)
        single = {word: ids[0] for word, ids in found.token_ids.items() if len(ids) == 1}
        total = sum(map(len, found))
        names.append(name.strip() or shortened(", ".join(single), 24))
        lists.append(single)
        if total > len(single):
            dropped.append(f"{total - len(single)} of {total} ({names[-1]})")
    try:
        test, as_much, pairs_tried = _tested(bert, tuple(tuple(one.values()) for one in lists))
    except UserInputError as error:
        return View(PUBLISHED, alert(str(error)))
    first, second = len(lists[0]), len(lists[1])
    words, rows = [*lists[0], *lists[1]], range(first + second)
    half = MAX_LANES // 2
    upper, lower = (lanes(part, half) for part in np.split(test.scores, [first]))
    heights = np.concatenate([upper + half, lower])
    return card(
        [
            PUBLISHED,
            say(
                "<b>{first}</b> ({first-count} words) lean to <b>{near}</b> {more} than <b>{second}"
                "</b> ({second-count}) do: effect size d = <b>{effect}</b> (0: alike; near 2: "
                "apart), p = <b>{p}</b> in {tried} "
                + ("random divisions." if test.tried == MAX_EXACT else "divisions, all there are."),
                method=METHOD,
                first=names[0],
                second=names[1],
                near=names[2],
                more="more" if test.effect > 0 else "no more",
                effect=rounded(test.effect),
                p=f"{test.p:.2g}" if test.p >= 0.001 else f"{test.p:.5f}",
                tried=f"{test.tried:,}",
                **{"first-count": first, "second-count": second},
            ),
            caption(
                "This says nothing about people: neither what anyone thinks, nor what is true of "
                "anyone, only which rows are near after training on texts. And lists on any two "
                "topics differ: of {pairs} pairs of lists, each around a word drawn at random, "
                "<b>{as-much}</b> are as far apart between {near} and {other}.",
                method=METHOD,
                near=names[2],
                other=names[3],
                pairs=pairs_tried,
                **{"as-much": as_much},
            ),
        ],
        name=NAME,
        chart=words_figure(
            np.column_stack([test.scores, heights]),
            words,
            [f"{label(word)}<br>{at:.3f}" for word, at in zip(words, test.scores, strict=True)],
            (f"← {label(names[3], 20)} | {label(names[2], 20)} →", ""),
            rings=[False] * len(words),
            groups=[(names[0], rows[:first]), (names[1], rows[first:])],
        ),
        alt=f"{len(words)} words between {names[3]} and {names[2]}: mean of {names[0]} "
        f"{test.scores[:first].mean():.3f}, of {names[1]} {test.scores[first:].mean():.3f}.",
        columns={
            "word": words,
            "list": [names[row >= first] for row in rows],
            "cosine with one side less the other": test.scores,
        },
        below=[note(LEFT_OUT, most=MAX_LISTED, dropped=joined(dropped))] if dropped else (),
        program=program(PROGRAM, bert, lists=[[*one.values()] for one in lists], name=NAME),
        made={"word": shortened(f"{names[0]}, {names[1]}", 40)},
    )


PROGRAM = '''
"""Whether one list of words leans to some words more than another list does: WEAT."""

lists = ...  # token ids of both lists, then of the words that they lean to, or less
tokenizer, model = ...
table = model.embeddings.word_embeddings.weight.detach().numpy()
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
first, second, near, other = lists
count = len(first)


def leaning(rows: np.ndarray) -> np.ndarray:
    sides = [cosine_similarity(table[rows], table[side]).mean(axis=1) for side in (near, other)]
    return sides[0].astype(float) - sides[1]


def effect(scores: np.ndarray) -> float:
    return (scores[:count].mean() - scores[count:].mean()) / scores.std(ddof=1)


scores = leaning(first + second)
for row, score in zip(first + second, scores, strict=True):
    print(tokens[row], f"{score:.4f}")
if comb(len(scores), count) <= 20_000:
    divisions = np.array(list(combinations(range(len(scores)), count)))
else:
    generator = np.random.default_rng(0)
    parts = [generator.random((1000, len(scores))).argsort(axis=1) for _ in range(20)]
    divisions = np.concatenate([[range(len(scores))], *parts])[:, :count]
p = (scores[divisions].sum(axis=1) >= scores[:count].sum() - 1e-6).mean()
print(f"d = {effect(scores):.2f}, p = {p:.5f}")

plain = [i for i, t in enumerate(tokens) if t and t.isascii() and t.isalpha()]
units = normalize(table[plain])
drawn = np.random.default_rng(0).permutation(len(plain))[: 2 * min(100, len(plain) // 2)]
nearest = np.array(plain)[(-units[drawn] @ units.T).argsort(axis=1)]
pairs = zip(*np.split(nearest, 2), strict=True)
found = [effect(leaning([*one[:count], *two[: len(second)]])) for one, two in pairs]
print(sum(abs(one) >= abs(effect(scores)) for one in found), "of", len(found), "pairs of topics")
'''

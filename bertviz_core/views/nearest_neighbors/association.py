"""The association test of Caliskan, Bryson & Narayanan (2017), and what it does not say."""

from typing import Annotated

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.neighbors import words_figure
from bertviz_core.neighbors.axis import association_test, read_words
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import TextLine
from bertviz_core.views.nearest_neighbors.words_on_axis import WORD_LISTS
from bertviz_core.views.parts import alert, caption, program, say
from bertviz_core.views.sentences import joined, rounded
from bertviz_core.views.view import Links, View

METHOD = NAME = "association-test"


def _test(*names: str) -> dict[str, str]:
    lists = [f"{name}: {WORD_LISTS[name]}" for name in names]
    return dict(zip(("t1", "t2", "a1", "a2"), lists, strict=True))


# Tests 1, 7 and 6 of Caliskan, Bryson & Narayanan (2017).
TESTS = {
    "flowers and insects": _test("flowers", "insects", "pleasant", "unpleasant"),
    "maths and arts": _test("maths", "arts", "male", "female"),
    "careers": _test("men's names", "women's names", "career", "family"),
}
PUBLISHED = Links("Published tests", TESTS)
FIRST = TESTS["flowers and insects"]
T1 = TextLine(
    "Are these words", about="the first list", help="A name may stand first: pets: dog cat"
)


@view("association test", page="Nearest Neighbors", rank=30)
def association(
    bert: Bert,
    t1: Annotated[str, T1] = FIRST["t1"],
    t2: Annotated[str, TextLine("more than these", about="the second list")] = FIRST["t2"],
    a1: Annotated[str, TextLine("near to these", about="what the first is near to")] = FIRST["a1"],
    a2: Annotated[str, TextLine("and not to these?", about="the other side")] = FIRST["a2"],
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
                "d = <b>{effect}</b> (0: alike; near 2: apart). Of {tried} divisions of all these "
                "words into two such lists, a share of p = <b>{p}</b> is as far apart.",
                method=METHOD,
                first=names[0],
                second=names[1],
                near=names[2],
                more="more" if test.effect > 0 else "no more",
                effect=rounded(test.effect),
                p=f"{test.p:.2g}" if test.p >= 0.001 else f"{test.p:.5f}",
                tried=f"{test.tried:,}",
            ),
            caption(
                "This says nothing about people: neither what anyone thinks, nor what is true of "
                "anyone, only which rows are near after training on texts. Lists on any two topics "
                "differ in something, so a small p alone says little."
            ),
        ],
        name=NAME,
        chart=words_figure(test.scores, words, (names[3], names[2]), groups=groups),
        alt=f"{len(words)} words between {names[3]} and {names[2]}: mean of {names[0]} "
        f"{test.scores[:count].mean():.3f}, of {names[1]} {test.scores[count:].mean():.3f}.",
        columns={
            "word": words,
            "list": [names[number >= count] for number in range(len(words))],
            "cosine with one side less the other": test.scores,
        },
        below=caption("Only words that are one token count: {counts}.", counts=joined(counts)),
        program=program(PROGRAM, bert, lists=[[*one.values()] for one in lists], name=NAME),
        made={"word": shortened(f"{names[0]}, {names[1]}", 40)},
    )


PROGRAM = '''
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

"""Another row of the token table: that of another word, or the row of a new token."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine
from bertviz_core.contextual import another_row as core
from bertviz_core.contextual.another_row import STARTS
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.colors import SENTENCES
from bertviz_core.shared import once
from bertviz_core.tokens import tokenize
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Line
from bertviz_core.views.parts import note, program, say
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Compared

METHOD = "with-another-row"
MIN_DIFFERENCE = 0.05  # of cosines; with a smaller one no row is called better
OTHER = Line(
    "Give it the row of",
    about="the word whose row the followed one gets",
    placeholder=lambda page: another_word(page["found"], page["target"]),
)


class Ran(NamedTuple):
    """Cosines with a word as it is in its sentence, float64 (layers + 1,)."""

    kept: Exact  # of the word with the other row
    alone: Exact | None  # of the word by itself, with its own row; None where it is all there is
    pieces: int  # of the word whose row it gets


def another_word(found: Compared, target: str) -> str:
    """Whose row a word gets where nothing is typed: that of the first anchor which is not it."""
    own = found.words[found.followed(target)].word.casefold()
    return next((one.word for one in found.anchors if one.word.casefold() != own), "")


@once
def _ran(encoder: Encoder, found: Compared, number: int, other: str) -> Ran:
    bert, word = encoder.bert, found.words[number]
    one = core.as_one_token(bert, word.text, word.token_positions)
    pieces, row = core.row_of(bert, other)
    # In one run: what has the same row then has the same vectors, to the last bit.
    own, changed = core.vectors_with_rows(encoder, one, np.stack([one.row, row]))
    alone = None
    if not word.alone:
        lone = tokenize(bert, word.word)
        token = core.as_one_token(bert, lone, lone.word_positions)
        alone = cosine(core.vectors_with_rows(encoder, token, one.row[None])[0], own)
    return Ran(cosine(changed, own), alone, len(pieces))


@view(
    "what if its row were another?", page=PAGE, rank=22, doing="Running the word with another row …"
)
def another_row(
    encoder: Encoder,
    found: Compared,
    layer: int,
    target: Annotated[str, TARGET] = "",
    other: Annotated[str, OTHER] = "",
) -> View:
    """A word gets the row of another one in the token table, in its sentence."""
    number = found.followed(target)
    word, other = found.words[number], other.strip() or another_word(found, target)
    if not other:
        raise UserInputError("Type the word whose row it gets.")
    ran = _ran(encoder, found, number, other)
    said = [
        note(
            "{split} is in {count} pieces and has no row of its own. Here it is one new token, "
            "with the mean of their rows.",
            split=name,
            count=count,
        )
        for name, count in ((word.word, len(word.tokens)), (other, ran.pieces))
        if count > 1
    ]
    curves = {f"{word.word} with the row of {other}": ran.kept}
    values: dict[str, Any] = {"word": word.word, "other": other, "layer": layer}
    values["kept"] = rounded(float(ran.kept[layer]))
    text = (
        "With the row of <b>{other}</b>, {word} in this sentence has similarity <b>{kept}</b> to "
        "itself at layer {layer}."
    )
    if ran.alone is not None:
        curves[f"{word.word} by itself"] = ran.alone
        values["alone"] = rounded(float(ran.alone[layer]))
        text += " With its own row, but without the sentence, it has <b>{alone}</b>"
        if values["alone"] != values["kept"]:
            both = (
                ("row", "sentence") if ran.kept[layer] < ran.alone[layer] else ("sentence", "row")
            )
            values["stronger"], values["weaker"] = both
            text += ": here the {stronger} matters more than the {weaker}"
        text += "."
    return card(
        [*said, say(text, method=METHOD, **values)],
        name="another-row",
        columns={"layer": range(len(ran.kept)), **curves},
        chart=Chart(
            "curves",
            f"similarity to {word.word} as it is",
            dict(zip(curves, SENTENCES, strict=False)),
            at=layer,
        ),
        program=program(
            ANOTHER_ROW_PROGRAM, encoder.bert, word=word.span, other=other, name="another_row"
        ),
        made=found.made(layer),
    )


@once
def _tried(encoder: Encoder, found: Compared, number: int) -> Array:
    return core.new_token(encoder, found.words[number])


@view(
    "a new token: which row?",
    page=PAGE,
    rank=23,
    doing="Running the token with new rows …",
    when=lambda page: any(len(word.tokens) > 1 for word in page["found"].words),
)
def new_token(
    encoder: Encoder, found: Compared, layer: int, target: Annotated[str, TARGET] = ""
) -> View:
    """A word in pieces becomes one token: its row at random, the mean of all, or of its pieces."""
    split = [number for number, word in enumerate(found.words) if len(word.tokens) > 1]
    if not split:
        raise UserInputError("Each of these words is one token. Mark a word that is in pieces.")
    number = found.followed(target)
    number = number if number in split else split[0]
    word, tried = found.words[number], _tried(encoder, found, number)
    return card(
        _best(word.word, len(word.tokens), tried[:, layer], layer),
        name="new-token",
        columns={"layer": range(tried.shape[1]), **dict(zip(STARTS, tried, strict=True))},
        chart=Chart(
            "curves",
            "similarity to what its pieces were",
            dict(zip(STARTS, SENTENCES, strict=False)),
            at=layer,
        ),
        program=program(
            NEW_TOKEN_PROGRAM, encoder.bert, word=word.span, draws=core.DRAWS, name="new_token"
        ),
        made={"layer": layer},
    )


def _best(word: str, pieces: int, cosines: Array, layer: int) -> Sentence:
    """Which row behaves best at a layer."""
    order = np.argsort(-cosines, kind="stable").tolist()
    values: dict[str, Any] = {"word": word, "layer": layer, "pieces": pieces}
    for name, start in zip(("best", "second", "third"), order, strict=True):
        values |= {name: STARTS[start], f"{name}_cosine": rounded(float(cosines[start]))}
    if cosines[order[0]] - cosines[order[1]] >= MIN_DIFFERENCE:
        text = "One new token for {word} does best with the <b>{best}</b>: at layer {layer} it has "
    else:
        text = "No row is clearly best for a new token for {word}. At layer {layer}, {best} has "
    text += (
        "similarity <b>{best_cosine}</b> to what its {pieces} pieces were ({second} "
        "{second_cosine}, {third} {third_cosine})."
    )
    return say(text, method=METHOD, **values)


ANOTHER_ROW_PROGRAM = '''
"""A word with its own row of the token table and with that of another: how alike, by layer."""

word = ...  # sentence, first character of the word, one past its last
other = ...  # the word whose row it gets
read, with_row, without = ...
tokenizer, model = ...
table = model.embeddings.word_embeddings.weight.detach()
ids, positions = read(tokenizer, *word)
own_row = table[ids[0, positions]].mean(dim=0)  # of a word in pieces the mean of their rows
other_row = table[tokenizer(other, add_special_tokens=False)["input_ids"]].mean(dim=0)
ids, (place,) = without(ids, positions[:1], positions[1:], None)
own, changed = (with_row(model, ids, place, row) for row in (own_row, other_row))
for layer, kept in enumerate(torch.cosine_similarity(own, changed).tolist()):
    print(layer, f"{kept:.4f}")
'''

NEW_TOKEN_PROGRAM = '''
"""One new token for a word in pieces: how like them it is with each of three rows, by layer."""

word = ...  # sentence, first character of the word, one past its last
draws = ...  # rows at random
read, states, with_row, without = ...
tokenizer, model = ...
table = model.embeddings.word_embeddings.weight.detach()
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
ordinary = [
    i
    for i, token in enumerate(tokens)
    if not token.startswith("[unused") and token not in tokenizer.all_special_tokens
]
ids, positions = read(tokenizer, *word)
before = states(model, ids)[:, positions].mean(dim=1)
pieces = table[ids[0, positions]].mean(dim=0)
mean, spread = table[ordinary].double().mean(dim=0), table[ordinary].double().std(0, False)
noise = np.random.default_rng(0).standard_normal((draws, len(mean)))
ids, (place,) = without(ids, positions[:1], positions[1:], None)
cosines = [
    torch.cosine_similarity(with_row(model, ids, place, row), before, dim=1)
    for row in [*(mean + torch.tensor(noise) * spread), mean, pieces]
]
at_random, (of_all, of_pieces) = torch.stack(cosines[:draws]).mean(dim=0), cosines[draws:]
for layer, three in enumerate(zip(at_random, of_all, of_pieces, strict=True)):
    print(layer, *(f"{cosine:.4f}" for cosine in three))
'''

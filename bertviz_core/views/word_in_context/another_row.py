"""What a word would be with another row of the token table than its own."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, cosine
from bertviz_core.contextual import another_row as core
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

OTHER = Line(
    "Give it the row of",
    about="the word whose row the followed one gets",
    placeholder=lambda found, target: another_word(found, target),
)


class Ran(NamedTuple):
    """Cosines with a word as it is in its sentence, float64 (layers + 1,)."""

    kept: Exact  # of the word with the other row
    alone: Exact | None  # of the word by itself, with its own row; None where it is all there is
    change: float  # the largest change of any number
    split: dict[str, int]  # how many pieces each of the two words has


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
    own, changed = core.vectors_with_rows(encoder, one, np.stack([one.row, row]))[:, :, 0]
    alone = None
    if not word.alone:
        lone = tokenize(bert, word.word)
        token = core.as_one_token(bert, lone, lone.word_positions)
        alone = cosine(core.vectors_with_rows(encoder, token, one.row[None])[0, :, 0], own)
    return Ran(
        cosine(changed, own),
        alone,
        float(np.abs(changed - own).max()),
        {word.word: len(word.tokens), other: len(pieces)},
    )


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
    curves = {f"{word.word} with the row of {other}": ran.kept}
    if ran.alone is not None:
        curves[f"{word.word} by itself"] = ran.alone
    return card(
        [
            note(
                "{split} is in {count} pieces and has no row of its own. Here it is one new "
                "token, with the mean of their rows.",
                split=name,
                count=count,
            )
            for name, count in ran.split.items()
            if count > 1
        ]
        + [_said(ran, word.word, other, layer)],
        name="another-row",
        columns={"layer": list(range(len(ran.kept))), **curves},
        chart=Chart(
            "curves",
            f"similarity to {word.word} as it is",
            dict(zip(curves, SENTENCES, strict=False)),
            at=layer,
        ),
        program=program(PROGRAM, encoder.bert, word=word.span, other=other, name="another_row"),
        made=found.made(layer),
    )


def _said(ran: Ran, word: str, other: str, layer: int) -> Sentence:
    """What the other row makes of the word at a layer, beside what its sentence does."""
    values: dict[str, Any] = {"word": word, "other": other, "layer": layer}
    if np.allclose(ran.kept, 1, rtol=0, atol=1e-6):
        text = "The row of <b>{other}</b> changes no number of {word} by more than <b>{change}</b>."
        return say(text, method="with-another-row", change=f"{ran.change:.1g}", **values)
    kept = rounded(float(ran.kept[layer]))
    text = (
        "With the row of <b>{other}</b>, {word} in this sentence has similarity <b>{kept}</b> to "
        "itself at layer {layer}."
    )
    if ran.alone is not None:
        values["alone"] = rounded(float(ran.alone[layer]))
        text += " With its own row, but without the sentence, it has <b>{alone}</b>"
        if values["alone"] != kept:
            row_matters = ran.kept[layer] < ran.alone[layer]
            values["stronger"] = "row" if row_matters else "sentence"
            values["weaker"] = "sentence" if row_matters else "row"
            text += ": here the {stronger} matters more than the {weaker}"
        text += "."
    return say(text, method="with-another-row", kept=kept, **values)


PROGRAM = '''
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

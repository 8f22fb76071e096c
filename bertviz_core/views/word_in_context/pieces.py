"""A word in pieces: how alike they are, what their pooling does, and one token for them."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.contextual import another_row as core
from bertviz_core.contextual.another_row import STARTS, NewToken
from bertviz_core.contextual.words import compare_poolings, piece_similarity, self_similarity
from bertviz_core.encoder import POOLINGS, Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.colors import MUTED, SENTENCES
from bertviz_core.shared import once
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Compared

IN_PIECES: Mapping[str, str | int] = {  # an example that the page offers
    "s": "Their [awesomesauce] tastes of pepper\nThat goal was [awesomesauce]",
    "anchors": "ketchup, great",
    "section": "pieces and pooling",
}
LEAST = 0.05  # a smaller difference of cosines is not called one


@view(
    "pieces and pooling",
    page=PAGE,
    rank=50,
    when=lambda found: any(len(word.tokens) > 1 for word in found.everything),
)
def pieces(found: Compared, layer: int, bert: Bert) -> View:
    """How alike the pieces of a word are, and what changes with the way of pooling them."""
    everything, count = found.everything, len(found.words)
    pairs = [(i, j) for i in range(count) for j in range(count, len(everything))]
    names = [f"{found.names[i]} – {found.names[j]}" for i, j in pairs]
    split = {
        name: piece_similarity(word)
        for name, word in zip(found.names, everything, strict=True)
        if len(word.tokens) > 1
    }
    if not split:
        raise UserInputError("Every word here is one piece. Mark a word of several pieces.")
    name = min(split, key=lambda name: float(split[name][layer]))
    word = everything[found.names.index(name)]
    curves = {f"pieces of {name}": curve for name, curve in split.items()}
    same = [group for group in found.comparison.groups if len(group) > 1]
    for group in same:
        words = [found.words[i] for i in group]
        curves[f"{words[0].word} with itself, in other sentences"] = self_similarity(words)
    cosines = compare_poolings([(everything[i], everything[j]) for i, j in pairs])[:, layer]
    spread = np.ptp(cosines, axis=0)
    widest = int(np.argmax(spread))
    lowest, highest = int(cosines[:, widest].argmin()), int(cosines[:, widest].argmax())
    poolings = {"pair": names, **dict(zip(POOLINGS, cosines, strict=True)), "spread": spread}
    return card(
        say(
            "At layer {layer}, the pieces of <b>{split}</b> ({pieces}) have mean similarity "
            "<b>{inside}</b> to each other ({inside_start} at the input).<br>Pooling matters most "
            "for <b>{pair}</b>: {low} by {lowest}, {high} by {highest}, a spread of "
            "<b>{spread}</b>.",
            method="pieces-and-poolings",
            layer=layer,
            split=name,
            pieces=" ".join(word.tokens),
            inside=rounded(float(split[name][layer])),
            inside_start=rounded(float(split[name][0])),
            pair=names[widest],
            low=rounded(float(cosines[lowest, widest])),
            lowest=POOLINGS[lowest],
            high=rounded(float(cosines[highest, widest])),
            highest=POOLINGS[highest],
            spread=rounded(float(spread[widest])),
        ),
        name="pieces",
        columns={"layer": list(range(len(split[name]))), **curves},
        chart=_chart("cosine", curves, layer),
        below=table(poolings, name="poolings", fold="Poolings as table"),
        program=program(
            PIECES_PROGRAM,
            bert,
            words=[one.span for one in everything],
            pairs=pairs,
            same=same,
            pooling=found.comparison.pooling,
            layer=layer,
            name="pieces",
        ),
        made=found.made(layer),
    )


def _chart(title: str, curves: Mapping[str, Array], layer: int) -> Chart:
    """How some curves are drawn; after the first six they are grey."""
    colors = [*SENTENCES, *[MUTED] * len(curves)]
    return Chart("curves", title, dict(zip(curves, colors, strict=False)), at=layer)


@once
def _tried(encoder: Encoder, found: Compared, number: int) -> NewToken:
    return core.new_token(encoder, found.words[number])


@view(
    "a new token: which row?",
    page=PAGE,
    rank=23,
    doing="Running the token with new rows …",
    when=lambda found: any(len(word.tokens) > 1 for word in found.words),
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
    word = found.words[number]
    tried = _tried(encoder, found, number)
    own = dict(zip(STARTS, tried.own, strict=True))
    columns = {"layer": list(range(tried.own.shape[1])), **own}
    if tried.others is not None:
        columns |= {
            f"other words, {start}": row for start, row in zip(STARTS, tried.others, strict=True)
        }
    return card(
        _best(word.word, len(word.tokens), tried, layer),
        name="new-token",
        columns=columns,
        chart=_chart("similarity of the new token to what its pieces were", own, layer),
        program=program(
            NEW_TOKEN_PROGRAM, encoder.bert, word=word.span, draws=core.DRAWS, name="new_token"
        ),
        made={"layer": layer},
    )


def _best(word: str, pieces: int, tried: NewToken, layer: int) -> Sentence:
    """Which row behaves best at a layer, and what it is to the other words."""
    own = tried.own[:, layer]
    order = np.argsort(-own, kind="stable").tolist()
    values: dict[str, Any] = {"word": word, "layer": layer, "pieces": pieces}
    for name, start in zip(("best", "second", "third"), order, strict=True):
        values |= {name: STARTS[start], f"{name}_cosine": rounded(float(own[start]))}
    if own[order[0]] - own[order[1]] >= LEAST:
        text = "One new token for {word} does best with the <b>{best}</b>: at layer {layer} it has "
    else:
        text = "No row is clearly best for a new token for {word}. At layer {layer}, {best} has "
    text += (
        "similarity <b>{best_cosine}</b> to what its {pieces} pieces were ({second} "
        "{second_cosine}, {third} {third_cosine})."
    )
    if tried.others is not None:
        low, high = float(tried.others[:, layer].min()), float(tried.others[:, layer].max())
        calmest = STARTS[int(tried.others[:, layer].argmax())]
        values |= {"low": rounded(low), "high": rounded(high), "calmest": calmest}
        if high - low >= LEAST:
            text += " The other words stay most alike with the {calmest} ({high}; lowest {low})."
        else:
            text += " For the other words it makes little difference ({low} to {high})."
    return say(text, method="with-another-row", **values)


PIECES_PROGRAM = '''
"""Words compared with each other under every pooling, and the pieces of each word."""

from itertools import combinations

words = ...  # sentence, first character of the word, one past its last
pairs = ...  # numbers of words to compare
same = ...  # numbers of words that are one and the same
pooling = ...  # "mean", "first", "last" or "max"
layer = ...
read, states, pool = ...
tokenizer, model = ...
pieces = []
for word in words:
    ids, positions = read(tokenizer, *word)
    pieces.append(states(model, ids)[layer, positions])


def mean_cosine(vectors: list[torch.Tensor]) -> float:
    """The mean over all pairs."""
    cosines = [torch.cosine_similarity(a, b, dim=0).item() for a, b in combinations(vectors, 2)]
    return sum(cosines) / len(cosines)


for i, j in pairs:
    for name in ["mean", "first", "last", "max"]:
        cosine = torch.cosine_similarity(pool(pieces[i], name), pool(pieces[j], name), dim=0)
        print(i, j, f"{name} {cosine.item():.4f}")
for numbers in same:
    print("the same word:", f"{mean_cosine([pool(pieces[i], pooling) for i in numbers]):.4f}")
for number, each in enumerate(pieces):
    if len(each) > 1:
        print("pieces of", number, f"{mean_cosine(list(each)):.4f}")
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

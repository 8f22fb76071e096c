"""A word in pieces: how alike they are, and what the way of pooling them changes."""

from itertools import combinations

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.contextual.word_vectors import POOLINGS, compare_poolings, piece_similarity
from bertviz_core.figures.colors import MUTED, SENTENCE_COLORS
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.view import View, program, rounded, say, table
from bertviz_core.views.word_in_context.comparison import Comparison


@view(
    "pieces and pooling",
    page="Word in Context",
    rank=50,
    when=lambda page: any(len(word.tokens) > 1 for word in page["comparison"].all_words),
)
def pieces(comparison: Comparison, layer: int, bert: Bert) -> View:
    """How alike the pieces of a word are, and what changes with the way of pooling them."""
    words = comparison.all_words
    count = len(comparison.words)
    pairs = [(i, j) for i in range(count) for j in range(count, len(words))]
    pairs = pairs or [*combinations(range(count), 2)]
    names = [f"{comparison.names[i]} – {comparison.names[j]}" for i, j in pairs]
    split = {
        name: piece_similarity(word)
        for name, word in zip(comparison.names, words, strict=True)
        if len(word.tokens) > 1
    }
    name = min(split, key=lambda name: float(split[name][layer]))
    word = words[comparison.names.index(name)]
    curves = {f"pieces of {name}": curve for name, curve in split.items()}
    colors = [*SENTENCE_COLORS, *[MUTED] * len(curves)]
    cosines = compare_poolings([(words[i], words[j]) for i, j in pairs])[:, layer]
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
        columns={"layer": range(len(split[name])), **curves},
        chart=Curves("cosine", dict(zip(curves, colors, strict=False)), at=layer),
        below=table(poolings, name="poolings", fold="Poolings as table"),
        program=program(
            PROGRAM,
            bert,
            words=[one.span for one in words],
            pairs=pairs,
            layer=layer,
            name="pieces",
        ),
        made={"layer": layer, "pooling": comparison.request.pooling},
    )


PROGRAM = '''
"""Words compared with each other under every pooling, and the pieces of each word."""

words = ...  # sentence, first character of the word, one past its last
pairs = ...  # numbers of words to compare
layer = ...
read, states, pool = ...
tokenizer, model = ...
pieces = []
for word in words:
    ids, positions = read(tokenizer, *word)
    pieces.append(states(model, ids)[layer, positions])
for i, j in pairs:
    for name in ["mean", "first", "last", "max"]:
        cosine = torch.cosine_similarity(pool(pieces[i], name), pool(pieces[j], name), dim=0)
        print(i, j, f"{name} {cosine.item():.4f}")
for number, each in enumerate(pieces):
    if len(each) > 1:
        cosines = [torch.cosine_similarity(a, b, dim=0) for a, b in combinations(each, 2)]
        print("pieces of", number, f"{torch.stack(cosines).mean().item():.4f}")
'''

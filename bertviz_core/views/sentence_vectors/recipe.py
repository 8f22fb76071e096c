"""What made a vector: the ways to make one of its text, by how near each comes to it."""

from functools import reduce
from math import log10

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.contextual.recipes import BANDS, Recipes
from bertviz_core.figures import colors, drawing
from bertviz_core.saved_files import Column
from bertviz_core.senses.text_vectors import TextVectors
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Part
from bertviz_core.views.view import View, joined, note, program, say

SHOWN, MAX_NAMED = 12, 3  # ways that are drawn, and that a sentence names
SMALLEST, MIDDLE = 1e-11, 1e-5  # 1 - cosine at the left edge of the picture, and in its middle
WORDS = {"mean": "the mean of all tokens", "max": "the maximum of all tokens",
         "pooler": "the pooler", "token table": "the mean of the token table",
         ", layer": " after layer"}  # fmt: skip
TITLE = 5  # rows above the first way, for the names of the bands
Brought = tuple[TextVectors, Recipes]  # what a visitor has, and which way made it


@view("what made this vector?", page="Sentence Vectors", rank=10)
def recipe(bert: Bert, brought: Brought) -> View:
    """Which pooling, layer and cut made a vector of yours, and in which precision."""
    given, found = brought
    pairs = len(given.texts)
    first = "The first {most} of {total} vectors are compared."
    columns = found.columns() | {"cosine of the first": found.by_pair[0]}
    return card(
        [note(first, total=given.total, most=pairs)] * (pairs < given.total)
        + [_finding(found, pairs)],
        name="recipe",
        columns=columns | {"1 - cosine": Column(columns["1 - cosine"], None)},
        chart=_by_distance(found),
        alt=f"1 - cosine of the nearest of {len(found.names)} ways, from "
        f"{1 - found.cosines[0]:.1e} ({found.names[0]}) up, among bands of precision.",
        decimals=6,
        program=program(
            PROGRAM, bert, name="recipe", about="the first pair" if pairs > 1 else "",
            text=given.texts[0], vector=given.vectors[0].tolist(),
            cuts=[*[None] * (found.tokens <= bert.max_position_embeddings), *found.cuts],
        ),
    )  # fmt: skip


def _finding(found: Recipes, pairs: int) -> Part:
    """The way that made it, its precision, and what cannot be told; or that none did."""
    # A short text without its full stop is further than that from itself.
    verb = "is" if found.cosines[0] > 0.999 else "looks like"
    finding = f"This {verb} <b>{{way}}</b> (cosine <b>{{cosine}}</b>): <b>{{precision}}</b>."
    if found.best is None:
        finding = (
            "None of <b>{count}</b> ways made this: the nearest, <b>{way}</b>, has a cosine of "
            "<b>{cosine}</b>. It may be of another text or model, or was changed since."
        )
    if found.undecided:
        finding += " At this precision it cannot be told from <b>{others}</b>."
    if found.best in found.text_free:
        finding += " Any text gives nearly this vector, so it may be of another one."
    if pairs > 1:
        finding += " For <b>{alone}</b> of {pairs} pairs alone it is the nearest; "
        finding += "the lowest cosine is <b>{lowest}</b>, of pair {furthest}."
    way, *others = (reduce(lambda said, words: said.replace(*words), WORDS.items(), name)
                    for name in (found.names[0], *found.undecided))  # fmt: skip
    if found.best and found.normalized is not None:
        way += ", normalized" if found.normalized else ", not normalized"
    if len(others) > MAX_NAMED:
        others[MAX_NAMED:] = [f"{len(others) - MAX_NAMED} more"]
    return say(
        finding, way=way, cosine=f"{found.cosines[0]:.5f}",
        method="what-made-a-vector" if found.best else "what-made-a-vector-on-other-texts",
        precision=found.about, others=joined(others), count=len(found.names), pairs=pairs,
        alone=found.alone, lowest=f"{found.by_pair[found.furthest, 0]:.5f}",
        furthest=found.furthest + 1,
    )  # fmt: skip


def _by_distance(found: Recipes) -> drawing.Figure:
    """The nearest ways, a row each, by 1 - cosine, below the names of the bands of precision."""
    names = found.names[:SHOWN]
    distances = (1 - found.cosines[:SHOWN]).clip(0)
    color = [(colors.TOKEN, colors.MARK)[n in (found.best, *found.undecided)] for n in names]
    points = drawing.marks(
        distances.clip(SMALLEST), np.arange(len(names)), {"size": 9, "color": color},
        "1 - cosine %{customdata:.1e}", customdata=distances, mode="markers+text",
        text=[f" {drawing.label(name, 60)} " for name in names],
        textposition=["middle " + ("right" if x < MIDDLE else "left") for x in distances],
    )  # fmt: skip
    edges = [SMALLEST / 2, *(band.high for band in BANDS)]
    shaded = {"layer": "below", "line": {"width": 0}, "fillcolor": colors.faint(colors.MUTED, 0.15)}
    at_top = {"textangle": -90, "yref": "paper", "y": 1, "yanchor": "top"}
    return drawing.draw(
        [points],
        height=26 * (len(names) + TITLE) + colors.FRAME,
        shapes=[drawing.vertical_line(low) | {"type": "rect", "x1": high} | shaded
                for low, high in zip(edges[::2], edges[1::2], strict=False)],
        annotations=[{"text": band.name, "x": log10(low * band.high) / 2, **at_top}
                     for band, low in zip(BANDS, edges, strict=False)],
        xaxis=drawing.titled("1 - cosine", type="log", dtick=2, exponentformat="power",
                             range=[log10(SMALLEST / 2), log10(2)]),
        yaxis={"visible": False, "range": [len(names) - 0.5, -0.5 - TITLE]},
    )  # fmt: skip


PROGRAM = '''
"""Each way to make one vector of a text, and its cosine to a given vector; the nearest last."""

text = ...
vector = ...
cuts = ...  # tokens; None: as many as the model has positions for
tokenizer, model = ...
added = tokenizer("").tokens()
without = f" without {' and '.join(added)}"
ways = {}
for cut in cuts:
    inputs = tokenizer(text, truncation=True, max_length=cut, return_tensors="pt")
    with torch.no_grad():
        result = model(**inputs, output_hidden_states=True)
        table = model.embeddings.word_embeddings(inputs["input_ids"])[0]
    inner = [i for i, word in enumerate(inputs.word_ids()) if word is not None]
    made = {"token table": table.mean(dim=0), f"token table{without}": table[inner].mean(dim=0)}
    if model.pooler:
        made["pooler"] = result.pooler_output[0]
    states = torch.stack(result.hidden_states)[:, 0]  # (layers + 1, tokens, hidden size)
    for layer, rows in enumerate(states):
        made[f"mean, layer {layer}"] = rows.mean(dim=0)
        made[f"mean{without}, layer {layer}"] = rows[inner].mean(dim=0)
        made[f"max, layer {layer}"] = rows.amax(dim=0)
        made[f"{added[0]}, layer {layer}"] = rows[0]
        made[f"{added[-1]}, layer {layer}"] = rows[-1]
    made[f"mean, layers {max(layer - 3, 0)} to {layer}"] = states[-4:].mean(dim=(0, 1))
    for first in (0, 1):
        made[f"mean, layers {first} and {layer}"] = states[[first, layer]].mean(dim=(0, 1))
    ways |= {way + (f", cut at {cut}" if cut else ""): row for way, row in made.items()}
cosines = cosine_similarity([vector], torch.stack([*ways.values()]).nan_to_num())[0]
for cosine, way in sorted(zip(cosines, ways, strict=True)):
    print(f"{cosine:.6f}", way)
'''

"""How much of the input embedding is left in the layers: what predicts a token's vector."""

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.calibration import calibration_sentences
from bertviz_core.contextual.explained import ExplainedVariance, most_tokens
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import layers, titled
from bertviz_core.figures.colors import MUTED, POSITION, TOKEN, faint
from bertviz_core.figures.drawing import Figure, draw
from bertviz_core.views.declare import view
from bertviz_core.views.parts import note, picture, program, say, table
from bertviz_core.views.view import Text, View

SENTENCE = "#56B4E9"  # the colour of what the rest of the sentence adds


def shipped_sentences() -> list[str]:
    """All English sentences that ship with the project, each once."""
    from bertviz_core.senses import prepared_set, prepared_words  # not for the page's headline

    prepared = [found for word in prepared_words() for found in prepared_set(word).occurrences]
    return list(dict.fromkeys([*calibration_sentences(), *(found.sentence for found in prepared)]))


@view(
    "how much of the input survives?",
    page="Input Embeddings",
    rank=90,
    doing="Drawing the areas …",
)
def survives(encoder: Encoder, explained: ExplainedVariance) -> View:
    """How much of a token's vector follows from its input embedding, by layer."""
    added, rest = explained.added, explained.rest
    last = added.shape[1] - 1
    return View(
        Text(
            "Layer 0 is the input embedding. A linear map predicts a token's vector at each layer "
            "from the input, in new sentences. The sentences come with this project; they are "
            "not the text above."
        ),
        say(
            "At layer 0 a linear map of the token row explains <b>{token_first}</b> of the "
            "variance of the vectors, its position a further {position_first}. After the last "
            "layer the row explains <b>{token_last}</b>, the position {position_last} and the rest "
            "of the sentence {sentence_last}; <b>{rest_last}</b> is not explained linearly, on "
            "these sentences.",
            method="what-is-left-of-the-input-embedding",
            token_first=f"{added[0, 0]:.0%}",
            position_first=f"{added[1, 0]:.0%}",
            token_last=f"{added[0, last]:.0%}",
            position_last=f"{added[1, last]:.0%}",
            sentence_last=f"{added[2, last]:.0%}",
            rest_last=f"{rest[last]:.0%}",
        ),
        note(
            "{tokens} tokens of {sentences} sentences, each predicted from the other sentences. A "
            "part that does not help has about 0%.",
            tokens=f"{explained.tokens:,}",
            sentences=explained.sentences,
        ),
        picture(
            _areas(added, rest),
            alt="Areas over the layers, share of the variance of the vectors: at layer 0 the token "
            f"row {added[0, 0]:.0%}, position {added[1, 0]:.0%}, sentence {added[2, 0]:.0%}; at "
            f"layer {last} {added[0, last]:.0%}, {added[1, last]:.0%}, {added[2, last]:.0%}.",
            name="explained",
        ),
        Text(
            "Each area is what a part adds to those below it. What two parts share is in the "
            "lower one. The table also has each part alone."
        ),
        table(explained.columns(), name="explained"),
        program(
            "influence/explained",
            encoder.bert,
            sentences=shipped_sentences(),
            most=most_tokens(encoder.bert),
        ),
    )


def _areas(added: Exact, rest: Exact) -> Figure:
    """Shares of the variance, one above the other: what is `added` by three parts, and the rest."""
    parts = (
        ("token row", TOKEN, added[0]),
        ("+ position", POSITION, added[1]),
        ("+ sentence", SENTENCE, added[2]),
        ("not explained", MUTED, rest),
    )
    areas = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": np.arange(len(shares)),
            "y": shares.astype(np.float32),
            "stackgroup": "shares",
            "name": name,
            "line": {"color": color, "width": 1.5},
            "fillcolor": faint(color, 0.25 if color == MUTED else 0.75),
            "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
        }
        for name, color, shares in parts
    ]
    return draw(
        areas,
        height=380,
        legend=True,
        hovermode="x unified",
        xaxis=layers(),
        yaxis=titled("share of the variance", tickformat=".0%", range=[0, 1]),
    )

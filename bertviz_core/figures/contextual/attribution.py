"""What each row of a sentence adds to a similarity: stacked bars over the tokens."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import MOST_UPRIGHT, label, named, titled
from bertviz_core.figures.colors import MARK, POSITION, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Figure, draw, vertical_line

NAMES = (("token row", TOKEN), ("segment row", SEGMENT), ("position row", POSITION))


def attribution_strip(
    shares: Sequence[NDArray[np.floating]],
    tokens: Sequence[Sequence[str]],
    own: Sequence[Collection[int]],
) -> Figure:
    """Draw what the three rows of each token add, sentence after sentence.

    Args:
        shares: Of each of one or two sentences (3, tokens): token, segment and position rows.
        tokens: Of each sentence its tokens.
        own: Of each sentence the positions of the words compared; named in bold.

    Returns:
        Bars stacked from zero to both sides, with a gap between the sentences.

    Raises:
        ValueError: The shares do not belong to the tokens.
    """
    if [values.shape for values in shares] != [(3, len(names)) for names in tokens]:
        raise ValueError(f"shares of {[values.shape for values in shares]} for other tokens")
    names, at, ticks = [], [], []
    for number, (sentence, words) in enumerate(zip(tokens, own, strict=True)):
        if number:
            ticks.append("")  # the gap
        for i, token in enumerate(sentence):
            at.append(len(ticks))
            name = label(token, 16)
            ticks.append(f"<b>{name}</b>" if i in words else name)
            names.append(f"{i} {label(token)}")
    values = np.concatenate(shares, axis=1).astype(np.float32)
    bars = [
        {
            "type": "bar",
            "x": np.array(at),
            "y": row,
            "name": name,
            "marker": {"color": color},
            "customdata": names,
            "hovertemplate": f"%{{customdata}}<br>{name}: %{{y:+.4f}}<extra></extra>",
        }
        for row, (name, color) in zip(values, NAMES, strict=True)
    ]
    return draw(
        bars,
        height=400,
        legend=True,
        barmode="relative",
        bargap=0.25,
        shapes=[vertical_line(len(tokens[0]), width=1)] if len(tokens) > 1 else [],
        xaxis=named(ticks, MOST_UPRIGHT, range=[-0.6, len(ticks) - 0.4]),
        yaxis=titled("added to the similarity", zeroline=True),
    )


def gradients_and_masking(
    added: NDArray[np.floating], lost: NDArray[np.floating], words: Sequence[str]
) -> Figure:
    """Draw what words add by their gradients beside what is lost without them.

    Args:
        added: (n,), shares of the words.
        lost: (n,), cosine with a word minus cosine without it.
        words: n words in the order of the sentence.

    Returns:
        Two bars a word.

    Raises:
        ValueError: There are not two numbers a word.
    """
    if not len(added) == len(lost) == len(words):
        raise ValueError(f"{len(added)} and {len(lost)} numbers for {len(words)} words")
    names = [label(word) for word in words]
    bars = [
        {
            "type": "bar",
            "x": np.arange(len(words)),
            "y": values.astype(np.float32),
            "name": name,
            "marker": {"color": color},
            "customdata": names,
            "hovertemplate": f"%{{customdata}}<br>{name}: %{{y:+.4f}}<extra></extra>",
        }
        for values, name, color in (
            (added, "added by its rows", TOKEN),
            (lost, "lost without it", MARK),
        )
    ]
    return draw(
        bars,
        height=340,
        legend=True,
        barmode="group",
        bargap=0.25,
        xaxis=named([label(word, 16) for word in words], MOST_UPRIGHT),
        yaxis=titled("similarity", zeroline=True),
    )

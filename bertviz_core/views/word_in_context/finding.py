"""What is said of the first words at a layer: which anchor they are near, or how far they moved."""

from dataclasses import replace

import numpy as np

from bertviz_core.views.parts import say
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Sentence
from bertviz_core.views.word_in_context.words import Compared

MOST_SAID = 2  # words
# A word is near an anchor where fewer than one in ten pairs of different words are as alike;
# without a percentile scale, where the cosine is not plainly low.
LEAST_PERCENTILE, LEAST_COSINE = 90, 0.2
CHOOSE = "<b>Choose two words to compare with</b>, by a tap. "


def findings(found: Compared, layer: int) -> Sentence:
    """The finding at a layer, which goes with the plane through all layers."""
    every = [said_at(found, at) for at in range(found.cosines.shape[-1])]
    return replace(every[layer], frames=tuple(every), follows="plane")


def said_at(found: Compared, layer: int) -> Sentence:
    """Say which anchor the first two words are near; without anchors, how far they have moved."""
    count, values = len(found.words), dict[str, object](layer=layer)
    said = range(min(count, MOST_SAID))
    for i in said:
        values |= {f"sentence_{i + 1}": found.sentence(i), f"word_{i + 1}": found.words[i].word}
    if not found.anchors:
        return _without_anchors(found, layer, values)
    parts = []
    for i in said:
        part = _of_word(found, i, layer, values).replace("_N", f"_{i + 1}")
        parts.append(("I" if i else "At layer {layer}, i") + part)
    if count > MOST_SAID:
        parts[-1] += f" {count - MOST_SAID} more in the table."
    choose = CHOOSE if len(found.anchors) < 2 else ""
    return say(choose + "<br>".join(parts), method="percentile-scales", **values)


def _without_anchors(found: Compared, layer: int, values: dict[str, object]) -> Sentence:
    said = (
        CHOOSE + "Until then: at layer {layer}, {word_1} in <i>{sentence_1}</i> has cosine "
        "similarity <b>{kept_1}</b> to its own input embedding."
    )
    values["kept_1"] = rounded(float(found.to_input[0, layer]))
    if len(found.words) > 1:
        said += (
            "<br>Between it and {word_2} in <i>{sentence_2}</i> the cosine similarity is "
            "<b>{cosine_1}</b>."
        )
        values["cosine_1"] = rounded(float(found.cosines[0, 1, layer]))
    return say(said, method="percentile-scales", **values)


def _of_word(found: Compared, number: int, layer: int, values: dict[str, object]) -> str:
    """The sentence on one word, whose `_N` becomes its number; its values are added."""
    row = found.cosines[number, len(found.words) :, layer]
    first, *others = np.argsort(-row).tolist()
    values |= {
        f"nearest_{number + 1}": found.anchors[first].word,
        f"cosine_{number + 1}": rounded(row[first]),
    }
    if not others:
        return (
            "n <i>{sentence_N}</i>, {word_N} and <b>{nearest_N}</b> have similarity "
            "<b>{cosine_N}</b>."
        )
    values |= {
        f"second_{number + 1}": found.anchors[others[0]].word,
        f"second_cosine_{number + 1}": rounded(row[others[0]]),
    }
    if _is_near(found, number, layer):
        return (
            "n <i>{sentence_N}</i>, {word_N} is closest to <b>{nearest_N}</b> "
            "(<b>{cosine_N}</b>; {second_N} {second_cosine_N})."
        )
    neither, nor = ("neither", "nor") if len(row) == 2 else ("none of the anchors: not", "not")
    return (
        f"n <i>{{sentence_N}}</i>, {{word_N}} is near {neither} {{nearest_N}} ({{cosine_N}}) "
        f"{nor} {{second_N}} ({{second_cosine_N}})."
    )


def _is_near(found: Compared, number: int, layer: int) -> bool:
    """Whether a word is near any anchor, by percentile where there is one."""
    at = np.s_[number, len(found.words) :, layer]
    if found.percentiles is not None and not np.isnan(found.percentiles[at]).all():
        return bool(np.nanmax(found.percentiles[at]) >= LEAST_PERCENTILE)
    return bool(found.cosines[at].max() >= LEAST_COSINE)

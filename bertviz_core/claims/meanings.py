"""The claim that a word means two things to a model, held against words that mean one thing."""

import numpy as np

from bertviz_core.arrays import cosine
from bertviz_core.claims.claim import Claim, Verdict
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder

WORD = "python"
SENTENCES = ("I love my pet [{}]", "I love coding in [{}]")
ANCHORS = ("snake", "programming")
# The two sentences turn every word a little, the first to animals, the second to programs. How
# much, these words show. They were chosen by what they mean: everyday nouns with one meaning, which
# has nothing to do with animals or computers (so no window, table, button, mouse), and one token
# each in the vocabulary of the first BERT.
BASELINE_WORDS = (
    *("peach", "planet", "guitar", "sister", "spoon", "candle", "blanket", "umbrella", "carpet"),
    *("pencil", "bicycle", "river", "castle", "doctor"),
)
FEWEST = 5  # baseline words in the vocabulary; fewer say little of what any word would do
MARGIN = 3  # of their standard deviations, by which python is to turn further than they on average
NAMED = 3  # of the baseline words, those that turn furthest


def _two_meanings(encoder: Encoder) -> Verdict:
    baseline = [word for word in BASELINE_WORDS if word in encoder.bert.vocabulary.ids]
    words = [WORD, *baseline]
    found = words_in_context(
        encoder, [*(text.format(word) for word in words for text in SENTENCES), *ANCHORS]
    )
    vectors = np.stack([word.vectors for word in found])  # (sentences and anchors, layers, size)
    in_context = vectors[:-2].reshape(len(words), len(SENTENCES), *vectors.shape[1:])
    # Nearer to snake than to programming, by word, sentence and layer.
    to_snake, to_programming = (cosine(in_context, anchor) for anchor in vectors[-2:])
    nearer = to_snake - to_programming
    turns = nearer[:, 0] - nearer[:, 1]  # from the one sentence to the other, by word and layer
    parted = (nearer[0, 0] > 0) & (nearer[0, 1] < 0)
    last = {
        f"{sentence}_{anchor}": float(cosines[0, number, -1])
        for number, sentence in enumerate(("pet", "language"))
        for anchor, cosines in zip(ANCHORS, (to_snake, to_programming), strict=True)
    }
    numbers = {"layers": len(parted) - 1, "count": len(baseline), "turn": float(turns[0, -1])}
    if len(baseline) < FEWEST:
        return Verdict(None, numbers | last)
    of_baseline = turns[1:]
    least = of_baseline.mean(axis=0) + MARGIN * of_baseline.std(axis=0, ddof=1)
    holds = parted & (turns[0] > of_baseline.max(axis=0)) & (turns[0] > least)
    furthest = np.argsort(-of_baseline[:, -1], kind="stable")[:NAMED]
    return Verdict(
        bool(holds[-1]),
        {
            # The layer from which on it holds up to the last.
            "first": int(np.flatnonzero(~holds).max(initial=-1)) + 1,
            "furthest": ", ".join(
                f"{baseline[number]} {of_baseline[number, -1]:.3f}" for number in furthest
            ),
            **numbers,
            **last,
        },
    )


_NUMBERS = (
    "the pet has cosine {pet_snake:.2f} with snake and {pet_programming:.2f} with programming, the "
    "language {language_snake:.2f} and {language_programming:.2f}."
)
_COMPARED = (
    " Sentences about pets and about coding may pull any word to their subjects. So take “cosine "
    "with snake minus cosine with programming”: from the one sentence to the other it falls by "
    "{turn:.3f} for python. Of {count} baseline words, nouns with one meaning, it falls most for "
    "{furthest}."
)
TWO_MEANINGS = Claim(
    "two meanings",
    _two_meanings,
    "True in upper layers: here from layer {first} of {layers} on. After the last one "
    + _NUMBERS
    + _COMPARED,
    "Not in this model: after layer {layers}, the last, " + _NUMBERS + _COMPARED,
    "This model cannot be judged: after layer {layers}, the last, "
    + _NUMBERS
    + " Sentences about pets and about coding may pull any word to their subjects, and of the "
    "baseline words, nouns with one meaning, its vocabulary holds {count}, too few to compare.",
    needs="layers",
)

"""Claims that need the model's layers, the library's own model, or its calibration."""

from math import floor

import numpy as np

from bertviz_core.calibration import Scales
from bertviz_core.claims.claim import Claim, Verdict
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.marks import read_word_pair
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.pooler import pooler_steps
from bertviz_core.encoder.training import backward_pass
from bertviz_core.tokens import tokenize

ROUNDING = 1e-5
EQUAL = 1e-6  # how far a cosine of equal vectors may be from 1
NOT_ALWAYS = 95  # percent of unrelated pairs that a high cosine should be above, at every layer


def _one_sum(encoder: Encoder) -> Verdict:
    text = tokenize(encoder.bert, "I love my pet python")
    ours, own = input_embeddings(encoder.bert, text).output, encoder.embedding_layer(text)
    difference = float(np.abs(own - ours).max())
    return Verdict(difference < ROUNDING, {"count": own.size, "difference": difference})


ONE_SUM = Claim(
    "one sum",
    _one_sum,
    "True: three rows are looked up, added and normalized. Over {count:,} numbers the result is at "
    "most {difference:.0e} from that of the library's own layer, which is rounding. In training "
    "a dropout follows.",
    "Not to the last digits here: over {count:,} numbers the sum and the library's own layer are "
    "up to {difference:.0e} apart.",
    needs="library",
)


def _two_meanings(encoder: Encoder) -> Verdict:
    pet, language = (
        word_in_context(encoder, f"I love {doing} [python]") for doing in ("my pet", "coding in")
    )
    snake, programming = (word_in_context(encoder, word) for word in ("snake", "programming"))
    cosines = {
        "pet_snake": similarity_by_layer(pet, snake),
        "pet_programming": similarity_by_layer(pet, programming),
        "language_snake": similarity_by_layer(language, snake),
        "language_programming": similarity_by_layer(language, programming),
    }
    parted = (cosines["pet_snake"] > cosines["pet_programming"]) & (
        cosines["language_programming"] > cosines["language_snake"]
    )
    # The layer from which on both hold up to the last.
    first = int(np.flatnonzero(~parted).max(initial=-1)) + 1
    last = {name: float(by_layer[-1]) for name, by_layer in cosines.items()}
    return Verdict(bool(parted[-1]), {"first": first, "layers": len(parted) - 1, **last})


TWO_MEANINGS = Claim(
    "two meanings",
    _two_meanings,
    "True in upper layers: here from layer {first} of {layers} on. After the last one the pet has "
    "cosine {pet_snake:.2f} with snake and {pet_programming:.2f} with programming, the language "
    "{language_snake:.2f} and {language_programming:.2f}.",
    "Not in this model: after layer {layers}, the last, the pet has cosine {pet_snake:.2f} with "
    "snake and {pet_programming:.2f} with programming, the language {language_snake:.2f} and "
    "{language_programming:.2f}.",
    needs="layers",
)


def _no_context(encoder: Encoder) -> Verdict:
    river, building = (
        word_in_context(encoder, f"My [bank] is a {what}") for what in ("river", "building")
    )
    first, second = (float(cosine) for cosine in similarity_by_layer(river, building)[:2])
    return Verdict(first > 1 - EQUAL > second, {"first": first, "second": second})


NO_CONTEXT = Claim(
    "no context",
    _no_context,
    "False: at layer 0 the word is its row, its position and its segment. Here all three are "
    "equal, so the cosine of its vectors in the two sentences is {first:.3f}. After layer 1 it is "
    "{second:.3f}.",
    "At layer 0 its vectors in the two sentences have cosine {first:.3f}, after layer 1 "
    "{second:.3f}: for this model's tokenizer the two sentences may be the same tokens.",
    needs="layers",
)


def _pooled(encoder: Encoder) -> Verdict:
    if not encoder.has_pooler:
        return Verdict(None, {})
    steps = pooler_steps(encoder, tokenize(encoder.bert, "Sinan loves a beautiful day"))
    bias = (
        "all numbers of its bias are 0, as in a fresh one: most likely it was never trained"
        if steps.zero_bias
        else "the numbers of its bias are not 0: it was trained"
    )
    return Verdict(abs(steps.cosine) < 0.9, {"cosine": steps.cosine, "bias": bias})


POOLED = Claim(
    "pooled",
    _pooled,
    "False: a dense layer and tanh stand between, and the cosine of the two is {cosine:.2f}. In "
    "the original BERT they were trained to tell whether two sentences follow each other. Of "
    "this model's, {bias}.",
    "In this model they are nearly one: a dense layer and tanh stand between, but the cosine of "
    "the two is {cosine:.2f}; {bias}.",
    "This model's file holds no pooler: there is no such vector.",
    needs="library",
)


def _high_cosine(scales: Scales) -> Verdict:
    words = scales.between(1, 1)  # content words of one piece, in sentences
    if words is None:
        return Verdict(None, {})
    of_words = [words.percentile(0.6, layer) for layer in range(words.layers)]
    layer = int(np.argmin(of_words))
    return Verdict(
        of_words[layer] < NOT_ALWAYS,
        {
            "high": NOT_ALWAYS,
            "layers": _where_high(of_words),
            "percent": floor(of_words[layer]),
            "layer": layer,
            "mean": float(words.anisotropy[layer]),
        },
    )


def _where_high(percentiles: list[float]) -> str:
    """At which layers a cosine is high, by its percentile at each layer."""
    low = [str(layer) for layer, percent in enumerate(percentiles) if percent < NOT_ALWAYS]
    if len(low) == len(percentiles):
        return "no layer"
    return "every layer" + (f" but {', '.join(low)}" if low else "")


HIGH_COSINE = Claim(
    "high cosine",
    _high_cosine,
    "False in this model. High means: above at least {high}% of the cosines of unrelated pairs. "
    "For content words 0.6 is high at {layers}: at layer {layer} only {percent}% are below it "
    "(their mean is {mean:.2f}). So a cosine is read on the percentile scale of its layer.",
    "High means: above at least {high}% of the cosines of unrelated pairs. In this model 0.6 is "
    "high for content words at every layer: at least {percent}% are below it (layer {layer}, mean "
    "{mean:.2f}). There are models whose unrelated words have more; so a cosine is read on the "
    "percentile scale of its layer.",
    "The sentences that are measured hold too few words that are one piece for this model.",
    needs="calibration",
)


def _one_step(encoder: Encoder) -> Verdict:
    pair = read_word_pair(encoder.bert, "The [king] spoke to the [queen]")
    found = backward_pass(encoder, pair.text, pair.first_positions, pair.second_positions)
    text = pair.text
    looked_up = (text.input_ids, text.position_ids, text.token_type_ids)
    by_row = (found.word_rows, found.position_rows, found.token_type_rows)
    only_those = all(
        set(np.flatnonzero(norms).tolist()) <= set(ids.tolist())
        for norms, ids in zip(by_row, looked_up, strict=True)
    )
    still = int((found.word_rows == 0).sum())
    return Verdict(only_those and still > 0, {"still": still, "all": found.word_rows.size})


ONE_STEP = Claim(
    "one step",
    _one_step,
    "False for the gradient of a loss that predicts no words, as the one there: it is 0 for "
    "{still:,} of {all:,} token rows, those that are not in the text. In pre-training it is true "
    "of the token table: the masked-word head is tied to it, so every row gets a gradient. And an "
    "optimizer with weight decay shrinks all rows a little.",
    "In this model it seems so: only {still:,} of {all:,} token rows have gradient 0.",
    needs="library",
)

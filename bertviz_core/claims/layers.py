"""Claims that need the model's layers or the library's own model."""

import numpy as np

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


def _one_sum(encoder: Encoder) -> Verdict:
    text = tokenize(encoder.bert, "I love my pet python")
    ours, own = input_embeddings(encoder.bert, text).output, encoder.embedding_layer(text)
    difference = float(np.abs(own - ours).max())
    return Verdict(difference < ROUNDING, {"count": own.size, "difference": difference})


ONE_SUM = Claim(
    "one sum",
    _one_sum,
    "True: three rows are looked up, added and normalized. Over {count:,} numbers the result is at "
    "most {difference:.1e} from that of the library's own layer, which is rounding. In training "
    "a dropout follows.",
    "Not to the last digits here: over {count:,} numbers the sum and the library's own layer are "
    "up to {difference:.1e} apart.",
    needs="library",
)


def _no_context(encoder: Encoder) -> Verdict:
    river, building = (
        word_in_context(encoder, f"My [bank] is a {what}") for what in ("river", "building")
    )
    first, second = (float(cosine) for cosine in similarity_by_layer(river, building)[:2])
    near = second > 0.9995  # three digits would call it equal
    return Verdict(
        first > 1 - EQUAL > second,
        {"first": first, "second": f"{second:.6f}" if near else f"{second:.3f}"},
    )


NO_CONTEXT = Claim(
    "no context",
    _no_context,
    "False: at layer 0 the word is its row, its position and its segment. Here all three are "
    "equal, so the cosine of its vectors in the two sentences is {first:.3f}. After layer 1 it is "
    "{second}.",
    "At layer 0 its vectors in the two sentences have cosine {first:.3f}, after layer 1 "
    "{second}: for this model's tokenizer the two sentences may be the same tokens.",
    needs="layers",
)


def _pooled(encoder: Encoder) -> Verdict:
    if not encoder.has_pooler:
        return Verdict(None, {})
    steps = pooler_steps(encoder, tokenize(encoder.bert, "Sinan loves a beautiful day"))
    bias = (
        "all numbers of its bias are 0, as in a fresh layer: most likely it was never trained"
        if steps.zero_bias
        else "the numbers of its bias are not 0, and in a fresh layer they are; what changed them, "
        "training as a rule, the file does not say"
    )
    return Verdict(abs(steps.cosine) < 0.9, {"cosine": steps.cosine, "bias": bias})


POOLED = Claim(
    "pooled",
    _pooled,
    "False: a dense layer and tanh are between them, and the cosine of the two is {cosine:.2f}. In "
    "the first BERT they were trained to decide whether one sentence follows another. Of this "
    "model's layer, {bias}.",
    "In this model they are nearly one: a dense layer and tanh are between them, but the cosine of "
    "the two is {cosine:.2f}; {bias}.",
    "This model's file holds no pooler, so it has no such vector.",
    needs="library",
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

"""Claims that need the model's layers or the library's own model."""

import numpy as np

from bertviz_core.arrays import cosine
from bertviz_core.claims.claim import Claim, Verdict
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.marks import read_word_pair
from bertviz_core.contextual.words import words_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.library_modules import pooler_steps
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
    "Nearly: over {count:,} numbers the sum and the library's own layer are "
    "up to {difference:.1e} apart.",
    needs="layers",
    on_base="the same by construction, since it is the same class of the library (BertEmbeddings)",
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
    "False: at layer 0 a word is its row, its position and its segment. In both sentences these "
    "are the same, so the cosine of its two vectors is {first:.3f}. After layer 1 it is {second}.",
    "At layer 0 its vectors in the two sentences have cosine {first:.3f}, after layer 1 "
    "{second}: for this model's tokenizer the two sentences may be the same tokens.",
    needs="layers",
    on_base="the same by construction at layer 0",
)


def _pooled(encoder: Encoder) -> Verdict:
    if not encoder.has_pooler:
        return Verdict(None, {})
    steps = pooler_steps(encoder, tokenize(encoder.bert, "Sinan loves a beautiful day"))
    bias = (
        "all numbers of its bias are 0, as in a fresh layer, so it was probably never trained"
        if steps.zero_bias
        else "the numbers of its bias differ from the 0 of a fresh layer, as training usually "
        "makes them"
    )
    return Verdict(abs(steps.cosine) < 0.9, {"cosine": steps.cosine, "bias": bias})


POOLED = Claim(
    "pooled",
    _pooled,
    "False: a dense layer and tanh are between them, and the cosine of the two is {cosine:.2f}. In "
    "the first BERT they were trained to decide whether one sentence follows another. In this "
    "model {bias}.",
    "In this model they are nearly equal: a dense layer and tanh are between them, but the cosine "
    "of the two is {cosine:.2f}; {bias}.",
    "This model's file has no pooler.",
    needs="layers",
    on_base="different vectors too, but there the pooler was trained, on next sentences "
    "(Devlin et al. 2019). For “Sinan loves a beautiful day” a course notebook "
    "prints [CLS] −0.23, 0.15, −0.04 …, pooled −0.88, −0.45, −0.63 …",
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
    "False for the loss on that page: its gradient is 0 for {still:,} of {all:,} token rows, all "
    "that are not in the text. True in pre-training: the masked-word head uses the token table, "
    "so every row gets a gradient. Weight decay also shrinks all rows a little.",
    "In this model it seems so: only {still:,} of {all:,} token rows have gradient 0.",
    needs="layers",
    on_base="the same by construction for this loss; in its pre-training every row had a "
    "gradient, since the head for masked words used the token table (run_pretraining.py of "
    "Devlin et al. 2019)",
)


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
    on_base="otherwise. A course notebook prints, after the last layer, 0.69 (pet, snake), "
    "0.50 (pet, programming), 0.58 (language, snake), 0.56 (language, programming): "
    "python turns, but stays nearer to snake in both sentences",
)

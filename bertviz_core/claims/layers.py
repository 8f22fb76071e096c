"""Claims that need the model's layers, or what was measured of their cosines."""

import numpy as np

from bertviz_core.calibration import Scales
from bertviz_core.calibration.percentiles import percent
from bertviz_core.calibration.same_sense import same_sense_line
from bertviz_core.claims import Claim, Verdict
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.leans import leans_of, separation
from bertviz_core.contextual.marks import read_word_pair
from bertviz_core.contextual.nouns import listed_nouns
from bertviz_core.contextual.words import words_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import PART_NAMES
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.library_modules import backward_pass, pooler_steps
from bertviz_core.tokens import tokenize

ROUNDING = 1e-5
EQUAL = 1e-6  # how far a cosine of equal vectors may be from 1


def _one_sum(encoder: Encoder) -> Verdict:
    text = tokenize(encoder.bert, "I love my pet python")
    ours, own = input_embeddings(encoder.bert, text).output, encoder.embedding_layer(text)
    difference = float(np.abs(own - ours).max())
    return Verdict(difference < ROUNDING, {"count": own.size, "difference": difference})


ONE_SUM = Claim(
    _one_sum,
    "Three rows are looked up, added and normalized: of {count:,} numbers none is more than "
    "{difference:.1e} from that of the library's own layer, which is rounding.",
    "Nearly: over {count:,} numbers the sum and the library's own layer are "
    "up to {difference:.1e} apart.",
    needs="layers",
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
    _no_context,
    "At layer 0 bank is its row, its position and its segment, in both sentences the same: cosine "
    "{first:.3f}. After layer 1 it is {second}.",
    "At layer 0 its two vectors have cosine {first:.3f}, after layer 1 {second}: for this model's "
    "tokenizer the two sentences may be the same tokens.",
    needs="layers",
)


def _pooled(encoder: Encoder) -> Verdict:
    if not encoder.has_pooler:
        return Verdict(None, {})
    steps = pooler_steps(encoder, tokenize(encoder.bert, "Sinan loves a beautiful day"))
    bias = (
        "its bias is all 0, as in a fresh layer, so it was probably never trained"
        if steps.zero_bias
        else "its bias differs from the 0 of a fresh layer, as training usually makes it"
    )
    return Verdict(abs(steps.cosine) < 0.9, {"cosine": steps.cosine, "bias": bias})


POOLED = Claim(
    _pooled,
    "A dense layer and tanh are between them: the cosine of the two is {cosine:.2f}. In this model "
    "{bias}.",
    "In this model they are nearly equal (cosine {cosine:.2f}), though a dense layer and tanh are "
    "between them; {bias}.",
    "This model's file has no pooler.",
    needs="layers",
    on_base="different as well, but there the pooler was trained, on next sentences "
    "(Devlin et al. 2019); a course notebook prints [CLS] −0.23, 0.15 …, pooled −0.88, −0.45 …",
)


def _one_step(encoder: Encoder) -> Verdict:
    pair = read_word_pair(encoder.bert, "The [king] spoke to the [queen]")
    found = backward_pass(encoder, pair.text, pair.first_positions, pair.second_positions)
    text = pair.text
    looked_up = (text.input_ids, text.token_type_ids, text.position_ids)
    by_row = (found.word_rows, found.token_type_rows, found.position_rows)
    only_those = all(
        set(np.flatnonzero(norms).tolist()) <= set(ids.tolist())
        for norms, ids in zip(by_row, looked_up, strict=True)
    )
    still = int((found.word_rows == 0).sum())
    numbers = {"still": still}
    for name, norms in zip(PART_NAMES, by_row, strict=True):
        numbers |= {f"{name}_rows": norms.size, f"{name}_moved": int(np.count_nonzero(norms))}
    return Verdict(only_those and still > 0, numbers)


ONE_STEP = Claim(
    _one_step,
    "The gradient is 0 for {still:,} of {token_rows:,} token rows, all that are not in the text. "
    "Only in pre-training every row gets one, since words are predicted from the same table; and "
    "weight decay shrinks all a little.",
    "In this model it seems so: only {still:,} of {token_rows:,} token rows have gradient 0.",
    needs="layers",
)


WORD = "python"
PET_AND_CODE = ("I love my pet [{}]", "I love coding in [{}]")
ANCHORS = ("snake", "programming")
# The two sentences turn every word a little, the first to animals, the second to programs. How
# much, other nouns show: every tenth of the list, so that none was chosen for what it gives.
EVERY = 10
MIN_CONTROLS = 5  # control words in the vocabulary; fewer say little of what any word would do
SHARE = 95  # percent of the control words


def _two_meanings(encoder: Encoder) -> Verdict:
    known = encoder.bert.vocabulary.ids
    nouns = (word for word in listed_nouns()[::EVERY] if word not in (WORD, *ANCHORS))
    controls = [word for word in nouns if word in known]
    if len(controls) < MIN_CONTROLS:
        return Verdict(None, {"count": len(controls)})
    words = [WORD, *controls]
    found = words_in_context(
        encoder, [*(text.format(word) for word in words for text in PET_AND_CODE), *ANCHORS]
    )
    vectors = np.stack([word.vectors for word in found])  # (sentences and anchors, layers, size)
    in_context = vectors[:-2].reshape(len(words), len(PET_AND_CODE), *vectors.shape[1:])
    leans = [leans_of(pair, vectors[-2:]) for pair in in_context]
    apart = np.stack([separation(lean, (0, 1), (0, 1)) for lean in leans])  # (words, layers)
    line = same_sense_line(encoder, WORD).by_layer
    most = np.percentile(apart[1:], SHARE, axis=0)
    holds = (apart[0] > line) & (apart[0] > most)
    furthest = 1 + int(apart[1:, -1].argmax())
    return Verdict(
        bool(holds[-1]),
        {
            "count": len(controls),
            # The layer from which on it holds up to the last.
            "first": int(np.flatnonzero(~holds).max(initial=-1)) + 1,
            "layers": len(holds) - 1,
            # How much more to its own anchor than to the other, in both sentences; as on its page.
            "lean": float(apart[0, -1]) / 2,
            "apart": float(apart[0, -1]),
            "same_sense": float(line[-1]),
            "nouns": float(most[-1]),
            "most": float(apart[furthest, -1]),
            "furthest": words[furthest],
        },
    )


_COMPARED = (
    "Compared with each other, python leans to snake for the pet ({lean:+.2f}) and to programming "
    "in coding ({lean:+.2f}): {apart:.2f} apart. Sentences of one meaning are within "
    "{same_sense:.2f} (90 of 100 pairs), other nouns within {nouns:.2f} (95 of 100)."
)
TWO_MEANINGS = Claim(
    _two_meanings,
    "From layer {first} of {layers} on. " + _COMPARED,
    "Not at this model's last layer. " + _COMPARED,
    "This model cannot be judged: of the nouns to compare with, its vocabulary holds {count}.",
    needs="layers",
    on_base="a course notebook prints 0.69 (pet, snake), 0.50 (pet, programming), 0.58 (language, "
    "snake), 0.56 (language, programming): compared with each other, 0.17 apart the same way, "
    "though each is nearer to snake",
)


COSINE = 0.6
RARE = 95  # percent of unrelated pairs that are to have less, at every layer


def _high_cosine(scales: Scales) -> Verdict:
    every = scales.by_kind.values()
    if not every:
        return Verdict(None, {"given": COSINE})
    by_layer = np.array(
        [[own.percentile(COSINE, at) for at in range(len(own.quantiles))] for own in every]
    )
    numbers: dict[str, str | int | float] = {"given": COSINE}
    for end, place in (("low", by_layer.argmin()), ("high", by_layer.argmax())):
        kind, layer = np.unravel_index(place, by_layer.shape)
        numbers |= {f"worth_{end}": percent(by_layer[kind, layer]), f"layer_{end}": int(layer)}
    return Verdict(bool(by_layer.min() >= RARE), numbers)


HIGH_COSINE = Claim(
    _high_cosine,
    "Of mixed unrelated words, <b>{worth_low}%</b> or more have less than {given} at every layer. "
    "But words of one kind, such as numbers, are more alike. And opposites such as hot and cold "
    "are used alike, so they are near, too.",
    "At layer {layer_low}, <b>{worth_low}%</b> of mixed unrelated words have less than {given}, at "
    "layer {layer_high} <b>{worth_high}%</b>. And opposites such as hot and cold are used alike, "
    "so they are near, too.",
    absent="This model cannot be judged: its tokenizer leaves too few whole words in the app's "
    "sentences.",
    needs="calibration",
)

"""Claims that the tables and the tokenizer of a checkpoint settle; no torch is needed."""

from collections import Counter

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import calibration_sentences
from bertviz_core.checkpoints.parameters import BERT_BASE, count_parameters, counts_by_formula
from bertviz_core.checkpoints.vocabulary import KINDS
from bertviz_core.claims.claim import Claim, Verdict
from bertviz_core.embeddings.embedding_layer import input_embeddings
from bertviz_core.embeddings.random_init import random_init_comparison
from bertviz_core.embeddings.shares import PART_NAMES, part_shares
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.positions.baselines import sinusoidal_table
from bertviz_core.positions.likeness import likeness_with_baselines
from bertviz_core.positions.table import FEWEST
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.wordpieces import trace_text

DAYS = ("tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SHAPES = {  # by the verdict on a position table that is not made of sinusoids
    "alike in part": "It is nearer to them than smooth random tables are",
    "smooth": "It is smooth, as they are",
    "not alike": "It is not smooth either",
}
CLOSEST = 3  # tokens nearest to dog, best first
OFTEN = 5  # times in the project's sentences


def _first_vector(bert: Bert) -> Verdict:
    text = tokenize(bert, "I am Sinan")
    if not bert.vocabulary.is_special[text.input_ids[0]]:
        return Verdict(None, {})
    shares = part_shares(bert, input_embeddings(bert, text)).shares[:, 0]
    of = {f"of_{part}": float(share) for part, share in zip(PART_NAMES, shares, strict=True)}
    return Verdict(of["of_token"] < 0.5, {"first": text.tokens[0], **of})


_OF_FIRST = (
    "{of_position:.0%} of it, the token {of_token:.0%}, the segment {of_segment:.0%}. {first} has "
    "the same three rows in every sentence, so it starts as the same vector everywhere."
)
FIRST_VECTOR = Claim(
    "first vector",
    _first_vector,
    "False: the position brings " + _OF_FIRST,
    "True here: the position brings " + _OF_FIRST,
    "This model's tokenizer puts no special token first.",
)


def _unknown_word(bert: Bert) -> Verdict:
    trace = trace_text(bert, "awesomesauce")
    model = bert.tokenizer.model
    longest = int(model.max_input_chars_per_word)
    known = bert.vocabulary.ids.get("awesomesauce")
    too_long = trace_text(bert, "a" * (longest + 1)).tokens == (model.unk_token,)
    return Verdict(
        known is None and model.unk_token not in trace.tokens and too_long,
        {"pieces": " ".join(trace.tokens), "longest": longest},
    )


UNKNOWN_WORD = Claim(
    "unknown word",
    _unknown_word,
    "False: it is cut into the longest pieces that are in the vocabulary, awesomesauce into "
    "{pieces}. Two kinds of words become [UNK] as a whole: one with a part that no piece fits, "
    "and one of more than {longest} characters.",
    "Not so simple in this model: it reads awesomesauce as {pieces}. [UNK] "
    "is a word with a part that no piece fits, or one of more than {longest} characters.",
    on_base="the same, awesome ##sau ##ce, as a course notebook prints it",
)


def _positions(bert: Bert) -> Verdict:
    table = bert.tables.position_embeddings
    if len(table) < FEWEST:
        return Verdict(None, {"positions": len(table), "fewest": FEWEST})
    # All that the view shows, random tables too: only these numbers may be here.
    found = likeness_with_baselines(table, sinusoidal_table(*table.shape))
    return Verdict(
        found.verdict not in ("the same", "the same, rotated"),
        {
            "identity": found.table.identity,
            "rotation": found.table.rotation,
            "covariances": float(found.covariances.rotation.mean()),
            "walk": float(found.walk.rotation.mean()),
            "shape": SHAPES.get(found.verdict, ""),
            "step": found.table.step,
        },
    )


POSITIONS = Claim(
    "positions",
    _positions,
    "False: the mean cosine of its rows with the sinusoids is {identity:.2f}. Shifted, scaled and "
    "rotated as well as possible, sinusoids explain {rotation:.0%} of the table; "
    "of random tables with its spectrum and covariances they explain {covariances:.0%}, of random "
    "walks {walk:.0%}. {shape}: the squared distance of next-door rows is {step:.0%} of that of "
    "two rows at random.",
    "For this model, yes, but for a rotation at most: row by row the cosine is {identity:.2f} on "
    "average, and after the best shift, scale and rotation the sinusoids explain {rotation:.0%} "
    "of its table; of random walks {walk:.0%}. The squared distance of next-door rows is "
    "{step:.0%} of that of two rows at random.",
    "This model's table has {positions} positions; a comparison needs {fewest}.",
    on_base="learned as well, those from 128 on in the last 10% of its steps (Devlin et al. "
    "2019, A.2)",
)


def _changed(bert: Bert, rows: Array) -> Verdict:
    """Whether some rows of a table differ from the random rows that training begins with."""
    if not len(rows):
        return Verdict(None, {})
    found = random_init_comparison(rows, bert.settings["initializer_range"])
    return Verdict(
        found.changed,
        {"count": found.rows, "length": found.length, "fresh": found.fresh_length,
         "deviation": found.fresh_deviation, "cosine": found.cosine},
    )  # fmt: skip


SEGMENTS = Claim(
    "segments",
    lambda bert: _changed(bert, bert.tables.token_type_embeddings),
    "False: they are {count} rows of a table of parameters, and no longer what a fresh BERT begins "
    "with. Its random rows are {fresh:.3f} long, give or take {deviation:.3f}, with a cosine near "
    "0; these are {length:.3f} long and have cosine {cosine:.2f}. Most likely training changed "
    "them; the file does not say.",
    "They are parameters, {count} rows of a table. But nothing in the numbers of this model shows "
    "that training changed them: they are {length:.3f} long (cosine {cosine:.2f}), and the random "
    "rows of a fresh BERT are {fresh:.3f}, give or take {deviation:.3f}.",
    on_base="learned as well (Devlin et al. 2019, section 3); its two rows differ, as "
    "notebooks that print them show",
)


def _parameters(bert: Bert) -> Verdict:
    total, matrices = counts_by_formula(BERT_BASE)
    base = BERT_BASE["vocab_size"] * BERT_BASE["hidden_size"] / total
    counted = count_parameters(bert.checkpoint).total
    own = bert.vocab_size * bert.hidden_size / counted
    return Verdict(
        round(total / 1e7) == 11,
        {"total": total, "matrices": matrices, "model": bert.name, "counted": counted,
         "own": own, "base": base},
    )  # fmt: skip


PARAMETERS = Claim(
    "parameters",
    _parameters,
    "Rounded, yes: the sizes of bert-base-uncased give {total:,}; {model} has {counted:,}. Counts "
    "that differ a little leave out biases and LayerNorm ({matrices:,}), or the pooler. The token "
    "table is {base:.0%} of bert-base and {own:.0%} of {model}.",
    "The sizes of bert-base-uncased give {total:,}, {matrices:,} of them in matrices; {model} has "
    "{counted:,}. The token table is {base:.0%} of bert-base and {own:.0%} of {model}.",
    on_base="110 million (Devlin et al. 2019); a notebook that counts only matrices prints "
    "109,360,128",
)


def _nearest(bert: Bert) -> Verdict:
    nearest = {
        word: nearest_tokens(bert, word, CLOSEST).tokens if word in bert.vocabulary.ids else ()
        for word in ("dog", "left", "monday")
    }
    found = {word: tokens[0] if tokens else "" for word, tokens in nearest.items()}
    return Verdict(
        found["dog"].startswith("dog") and found["left"] == "right" and found["monday"] in DAYS,
        {word: token or "(not in the vocabulary)" for word, token in found.items()}
        | {"closest": " ".join(nearest["dog"])},
    )


NEAREST = Claim(
    "nearest",
    _nearest,
    "Not of these three words. Nearest to dog is {dog}, another form of it; nearest to left is "
    "{left}, its opposite; nearest to monday is {monday}, another day. Such words are used in the "
    "same contexts.",
    "Judge for yourself: nearest to dog is {dog}, to left {left}, to monday {monday}.",
)


UNUSED_ROWS = Claim(
    "unused rows",
    lambda bert: _changed(bert, bert.tables.word_embeddings[bert.vocabulary.is_unused]),
    "No text uses the [unused] rows, yet they are not what a fresh BERT begins with: its random "
    "rows are {fresh:.3f} long, give or take {deviation:.3f}, with cosines near 0. The {count:,} "
    "are {length:.3f} long and have a mean cosine of <b>{cosine:.2f}</b>. In training, predicting "
    "words from the same table changes every row, and weight decay shrinks all. The file does "
    "not say which of them it was.",
    "Nothing shows that training changed the [unused] rows: the {count:,} are {length:.3f} long "
    "with a mean cosine of {cosine:.2f}, and the random rows of a fresh BERT are {fresh:.3f} long, "
    "give or take {deviation:.3f}.",
    "This model has no [unused] rows.",
)


def _low_ids(bert: Bert) -> Verdict:
    counts = Counter(
        int(token_id)
        for sentence in calibration_sentences()
        for token_id in tokenize(bert, sentence).input_ids
    )
    is_word = bert.vocabulary.kinds == KINDS.index("word")
    often, once = (
        [i for i, count in counts.items() if is_word[i] and low <= count <= high]
        for low, high in ((OFTEN, np.inf), (1, 1))
    )
    if not often or not once:
        return Verdict(None, {})
    middles = [int(np.median(ids)) for ids in (often, once, np.flatnonzero(is_word))]
    return Verdict(
        middles[0] < middles[1] < middles[2],
        dict(zip(("often", "once", "middle"), middles, strict=True)),
    )


LOW_IDS = Claim(
    "low ids",
    _low_ids,
    "Among words only, frequent ones tend to have lower ids (signs and letters "
    "come before them): in the English sentences of this project, "
    "those that occur five times or more have the median id {often:,}, those that occur once "
    "{once:,}; that of all words is {middle:,}.",
    "In this vocabulary a low id does not mean a frequent word: in the English sentences of this "
    "project, words that occur five times or more have the median id {often:,}, those that occur "
    "once {once:,}, all words {middle:,}.",
    "This vocabulary holds too few words of the English sentences of this project to say whether "
    "a low id means a frequent word.",
    on_base="the same by construction where the vocabulary is the same 30,522 WordPieces, "
    "since this is about ids alone",
)

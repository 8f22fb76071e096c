"""Claims that need the tables and the tokenizer of a checkpoint alone, and no torch."""

from collections import Counter

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import calibration_sentences
from bertviz_core.checkpoints.parameters import BERT_BASE, count_parameters, counts_by_formula
from bertviz_core.checkpoints.vocabulary import KINDS
from bertviz_core.claims import Claim, Verdict
from bertviz_core.embeddings.embedding_layer import PART_NAMES, input_embeddings, part_shares
from bertviz_core.embeddings.random_init import random_init_comparison
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.positions.table import (
    MIN_POSITIONS,
    SAME,
    analyse_positions,
    correlation_of_cosines,
    sinusoidal_table,
)
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.wordpieces import trace_text

DAYS = ("tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
CLOSEST = 3  # tokens nearest to dog, best first
OFTEN = 5  # times in the project's sentences


def _first_vector(bert: Bert) -> Verdict:
    text = tokenize(bert, "I am Sinan")
    if not bert.vocabulary.is_special[text.input_ids[0]]:
        return Verdict(None, {})
    shares = part_shares(bert, input_embeddings(bert, text)).shares[:, 0]
    of = {f"of_{part}": float(share) for part, share in zip(PART_NAMES, shares, strict=True)}
    return Verdict(of["of_token"] < 0.5, {"first": text.tokens[0], **of})


FIRST_VECTOR = Claim(
    _first_vector,
    "Its position brings {of_position:.0%} of it, its token {of_token:.0%}, its segment "
    "{of_segment:.0%}; {first} starts as this same vector in every sentence.",
    absent="This model's tokenizer puts no special token first.",
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
    _unknown_word,
    "It is cut into the longest pieces that are in the vocabulary, awesomesauce into {pieces}. "
    "Only a word with a part that no piece fits, or of more than {longest} characters, is [UNK].",
    "This model reads awesomesauce as {pieces}. [UNK] is a word with a part that no piece fits, or "
    "of more than {longest} characters.",
    on_base="the same, awesome ##sau ##ce, as a course notebook prints it",
)


def _positions(bert: Bert) -> Verdict:
    table = bert.tables.position_embeddings
    if len(table) < MIN_POSITIONS:
        return Verdict(None, {"positions": len(table), "fewest": MIN_POSITIONS})
    tables = table, sinusoidal_table(*table.shape)
    correlation = correlation_of_cosines(*(analyse_positions(one).similarity for one in tables))
    return Verdict(correlation < SAME, {"correlation": correlation})


POSITIONS = Claim(
    _positions,
    "The cosines of its rows have a correlation of {correlation:.2f} with those of sinusoids. "
    "Sinusoids have 1, also after a rotation.",
    "For this model yes, but for a rotation at most: the cosines of its rows have a correlation "
    "of {correlation:.2f} with those of sinusoids.",
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
    lambda bert: _changed(bert, bert.tables.token_type_embeddings),
    "They are {count} rows of parameters, {length:.3f} long with cosine {cosine:.2f}. Those of a "
    "fresh BERT are {fresh:.3f} ± {deviation:.3f} long, with a cosine near 0. Most likely training "
    "changed them; the file does not say.",
    "They are {count} rows of parameters, but nothing shows that training changed them: "
    "{length:.3f} long (cosine {cosine:.2f}), those of a fresh BERT {fresh:.3f} ± {deviation:.3f}.",
    on_base="learned as well (Devlin et al. 2019, section 3)",
)


def _parameters(bert: Bert) -> Verdict:
    total, matrices = counts_by_formula(BERT_BASE)
    counted = count_parameters(bert.checkpoint).total
    return Verdict(
        round(total / 1e7) == 11,
        {"total": total, "matrices": matrices, "model": bert.name, "counted": counted},
    )


PARAMETERS = Claim(
    _parameters,
    "Rounded: its sizes give {total:,}. Counts that differ a little leave out biases and LayerNorm "
    "({matrices:,}), or the pooler. {model} has {counted:,}.",
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
    _nearest,
    "Nearest to dog is {dog}, another form of it; to left {left}, its opposite; to monday "
    "{monday}, another day. Near in the table is what is used in the same contexts.",
    "Judge for yourself: nearest to dog is {dog}, to left {left}, to monday {monday}.",
)


UNUSED_ROWS = Claim(
    lambda bert: _changed(bert, bert.tables.word_embeddings[bert.vocabulary.is_unused]),
    "No text uses the [unused] rows, yet the {count:,} are {length:.3f} long with a mean cosine of "
    "<b>{cosine:.2f}</b>; those of a fresh BERT are {fresh:.3f} ± {deviation:.3f} long, with "
    "cosines near 0. In training, predicting words from the same table changes every row, and "
    "weight decay shrinks all. The file does not say which of them it was.",
    "Nothing shows that training changed the [unused] rows: the {count:,} are {length:.3f} long "
    "with a mean cosine of {cosine:.2f}, those of a fresh BERT {fresh:.3f} ± {deviation:.3f}.",
    "This model has no [unused] rows.",
)


def _low_ids(bert: Bert) -> Verdict:
    counts = Counter(
        token_id
        for sentence in calibration_sentences()
        for token_id in tokenize(bert, sentence).input_ids.tolist()
    )
    words = np.flatnonzero(bert.vocabulary.kinds == KINDS.index("word"))
    often = [token_id for token_id in words.tolist() if counts[token_id] >= OFTEN]
    if not often:
        return Verdict(None, {})
    numbers = {"often": int(np.median(often)), "middle": int(np.median(words))}
    return Verdict(numbers["often"] < numbers["middle"], numbers)


_OF_IDS = (
    "In the English sentences of this project, words that occur five times or more have the median "
    "id {often:,}, all words of the vocabulary {middle:,}."
)
LOW_IDS = Claim(
    _low_ids,
    "Among words only, frequent ones tend to have lower ids (signs and letters come before them). "
    + _OF_IDS,
    "In this vocabulary a low id does not mean a frequent word. " + _OF_IDS,
    "This vocabulary holds too few words of the project's sentences to say whether a low id means "
    "a frequent word.",
    on_base="the same by construction where the vocabulary is the same 30,522 WordPieces",
)

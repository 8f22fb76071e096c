"""The segment table, and what segments were trained for: whether one text follows another."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array, cosine, frozen, read_only
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import with_both_heads
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.next_sentence import lacking, next_sentence_logits
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.figures import colors
from bertviz_core.figures.stack import saturation_limit, signed_rows
from bertviz_core.positions.changes import changed_text
from bertviz_core.shared import once
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Line
from bertviz_core.views.parts import caption, note, program, say, truncated
from bertviz_core.views.sentences import joined, share
from bertviz_core.views.view import Links, View

NAMES = ("segment A", "segment B", "B − A")
FOLLOWS = "probability that it follows"
# The runs, each with its colour: the pair first, the other text last.
RUNS = {
    "A, then B": colors.TOKEN,
    "B, then A": colors.TOKEN,
    "A, then B; segments flipped": colors.SEGMENT,
    "A, then B; all segment A": colors.SEGMENT,
    "A, then the other text": colors.MUTED,
}
FLIP = Links(
    "What the segment changes in a text:",
    {"flip the segments": {"section": "experiments", "change": "flip segments"}},
)


@view("segment table", page="Positions and Segments", rank=50, card=True)
def segments(bert: Bert) -> View:
    """How the two rows of the segment table differ."""
    if bert.type_vocab_size < 2:
        raise UserInputError(
            f"{bert.name} has a segment table of one row: it knows no second segment, so there is "
            "nothing to compare."
        )
    first, second = bert.tables.token_type_embeddings[:2]
    rows = np.stack([first, second, second - first])
    falling = np.argsort(-np.abs(rows[2]), kind="stable")
    limit, largest = saturation_limit(rows), int(falling[0])
    lengths, alike = np.linalg.norm(rows, axis=1), float(cosine(first, second))
    missing = len(lacking(bert))
    return card(
        say(
            "The rows of segment A and B have cosine similarity <b>{cosine:.3f}</b>; their "
            "difference is <b>{length_difference:.2f}</b> long, a median token row "
            "{length_token:.2f}.",
            method="rows-of-the-segment-table",
            cosine=alike,
            length_difference=float(lengths[2]),
            length_token=float(np.median(bert.tables.word_norms)),
        ),
        name="segments",
        columns={"dimension": falling, **dict(zip(NAMES, rows[:, falling], strict=True))},
        chart=signed_rows(rows, NAMES, limit),
        alt=f"Heatmap of the two segment embeddings and their difference over {bert.hidden_size} "
        f"dimensions, cosine {alike:.3f}; the largest difference, "
        f"{rows[2, largest]:.3f}, is in dimension {largest}; colours end at ±{limit:.2g}.",
        below=[
            caption(
                "Lengths {length_a:.2f} (A) and {length_b:.2f} (B); all three rows on one scale.",
                length_a=float(lengths[0]),
                length_b=float(lengths[1]),
            ),
            note("The segment table has {count} rows; two are shown.", count=bert.type_vocab_size)
            if bert.type_vocab_size > 2
            else [],
            caption(
                "Segments were made for telling whether a second text follows. {model} has no head "
                "for that: its file lacks {missing_tensors} tensors. Of the models offered here, "
                "{having} have it.",
                model=bert.name,
                missing_tensors=missing,
                having=joined(with_both_heads()) or "none",
            )
            if missing
            else [],
            FLIP,
        ],
        decimals=4,
        fold="Table, largest difference first",
        program=program(SEGMENTS_PROGRAM, bert, name="segments"),
    )


def texts_of(bert: Bert, first: str, second: str, other: str) -> list[TokenizedText]:
    """The texts of `RUNS`."""
    if not all(text.strip() for text in (first, second, other)):
        raise UserInputError("The head reads pairs: type A, B and another text.")
    typed = InputText(first, second), InputText(second, first), InputText(first, other)
    pair, turned, strange = (one.tokenize(bert) for one in typed)
    flipped = changed_text(bert, pair, "flip segments")
    one_segment = replace(pair, token_type_ids=read_only(np.zeros_like(pair.token_type_ids)))
    return [pair, turned, flipped, one_segment, strange]


@once
def _logits(encoder: Encoder, first: str, second: str, other: str) -> Array:
    states = encoder.hidden_states_many(texts_of(encoder.bert, first, second, other))
    return next_sentence_logits(encoder.bert, np.stack([layers[-1, 0] for layers in states]))


# The texts of Devlin et al. (2019), A.1.
@view(
    "next sentence",
    page="Positions and Segments",
    rank=70,
    doing="Running the pair …",
    when=lambda page: not lacking(page["bert"]),
    card=True,
)
def next_sentence(
    encoder: Encoder,
    na: Annotated[str, Line("Text A")] = "The man went to the store.",
    nb: Annotated[
        str, Line("Text B, which follows", about="text B")
    ] = "He bought a gallon of milk.",
    nc: Annotated[
        str, Line("Another text, which does not", about="a text that does not follow A")
    ] = "Penguins are flightless birds.",
) -> View:
    """Whether text B follows text A, for the pair, turned round, and with other segments."""
    bert = encoder.bert
    texts = texts_of(bert, na, nb, nc)
    try:
        logits = _logits(encoder, na, nb, nc)
    except ModelUnavailableError as error:  # a damaged head, or no pooler
        return View(note("{problem}", problem=error), FLIP)
    scores = logits[:, 0].astype(np.float64) - logits[:, 1]
    likely = frozen((1 + np.tanh(scores / 2)) / 2)  # softmax of the two
    pair, *_, strange = (share(float(one)) for one in likely)
    moved = np.abs(scores - scores[0])
    by_segments, by_text = float(moved[2:4].max()), float(moved[-1])
    return card(
        [
            *truncated(texts[0], "The pair"),
            *truncated(texts[-1], "A with the other text"),
            say(
                "The head <b>{tells}</b> the two texts apart: B follows A with probability "
                "<b>{pair}</b>, the other text with <b>{other}</b>. The other text moves the score "
                "by {by_text:.2f}, changed segments by up to {by_segments:.2f}: the {counts} count "
                "more.",
                method="the-next-sentence",
                tells="tells" if likely[0] > 0.5 >= likely[-1] else "does not tell",
                pair=pair,
                other=strange,
                by_text=by_text,
                by_segments=by_segments,
                counts="segments" if by_segments >= by_text else "words",
            ),
        ],
        name="next-sentence",
        columns={
            "run": list(RUNS),
            FOLLOWS: likely,
            "logit 0, it follows": logits[:, 0],
            "logit 1, it does not": logits[:, 1],
            "score": scores,
        },
        chart=Chart("rows", FOLLOWS, {FOLLOWS: list(RUNS.values())}, ".1%", 0.5),
        below=[
            caption(
                "The head has two logits. The <b>first</b>, label 0, says “B follows A”; label 1 "
                "says “it does not”. The score is the first minus the second. {upper}",
                upper=origin_of(bert.checkpoint).upper,
            ),
            FLIP,
        ],
        program=program(
            NEXT_SENTENCE_PROGRAM, bert, first=na, second=nb, other=nc, name="next_sentence"
        ),
    )


SEGMENTS_PROGRAM = '''
"""The two rows of the segment table: lengths, cosine, largest differences."""

model = ...
a, b = model.embeddings.token_type_embeddings.weight.detach().double()[:2]
print("lengths:", *(f"{row.norm():.4f}" for row in (a, b, b - a)))
print("cosine:", f"{torch.cosine_similarity(a, b, dim=0):.4f}")
for dimension in (b - a).abs().argsort(descending=True)[:10].tolist():
    print(dimension, f"{(b - a)[dimension]:.4f}")
'''


NEXT_SENTENCE_PROGRAM = '''
"""The head for the next sentence: the pair, turned round, with other segments, another text."""

first = ...
second = ...
other = ...  # does not follow
tokenizer = ...
model = BertForNextSentencePrediction.from_pretrained(checkpoint, revision=revision).eval()

pair = tokenizer(first, second, truncation=True, return_tensors="pt")
segments = pair["token_type_ids"]
runs = {
    "A, then B": pair,
    "B, then A": tokenizer(second, first, truncation=True, return_tensors="pt"),
    "segments flipped": {**pair, "token_type_ids": 1 - segments},
    "all segment A": {**pair, "token_type_ids": 0 * segments},
    "A, then the other text": tokenizer(first, other, truncation=True, return_tensors="pt"),
}
for name, inputs in runs.items():
    with torch.no_grad():
        logits = model(**inputs).logits[0]
    follows, does_not = logits.tolist()  # label 0 is "B follows A"
    probability = logits.softmax(dim=0)[0]
    print(f"{name}: {probability:.4f} logits {follows:.4f} {does_not:.4f}")
'''

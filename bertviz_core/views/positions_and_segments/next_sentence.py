"""What segments were trained for: the head that says whether one text follows another."""

from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, frozen, read_only
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import with_both_heads
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.next_sentence import DOES_NOT, FOLLOWS, lacking, next_sentence_head
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.figures.axes import named_rows, titled
from bertviz_core.figures.colors import MUTED, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw, vertical_line
from bertviz_core.positions.changes import changed_text
from bertviz_core.shared import once
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Line
from bertviz_core.views.parts import caption, note, picture, program, say, table, truncated
from bertviz_core.views.sentences import joined, share
from bertviz_core.views.view import Links, Part, View

SEGMENTS: dict[str, dict[str, str | int]] = {
    "flip the segments of a pair": {"section": "experiments", "change": "flip segments"},
    "the two rows of the segment table": {"section": "segment table"},
}
# Of each run: its name in the chart, and its colour.
PAIR, TURNED, FLIPPED, ALONE, OTHER = range(5)
RUNS = {
    "A, then B": TOKEN,
    "B, then A": TOKEN,
    "A, then B; segments flipped": SEGMENT,
    "A, then B; all segment A": SEGMENT,
    "A, then the other text": MUTED,
}


class Followed(NamedTuple):
    """What the head says of each of `RUNS`; arrays are read-only."""

    texts: tuple[TokenizedText, ...]
    logits: Array  # float32 (5, 2), "B follows A" first
    probabilities: Array  # float32 (5,), that B follows A

    @property
    def scores(self) -> Array:
        """The first logit minus the second: above 0 where the head says that B follows A."""
        scores: Array = self.logits[:, FOLLOWS] - self.logits[:, DOES_NOT]
        return scores


def runs_of(bert: Bert, first: str, second: str, other: str) -> tuple[TokenizedText, ...]:
    """The texts of `RUNS`, in their order."""
    if not all(text.strip() for text in (first, second, other)):
        raise UserInputError("The head reads pairs: type A, B and another text.")
    pair, turned, strange = (
        InputText(a, b).tokenize(bert)
        for a, b in ((first, second), (second, first), (first, other))
    )
    one = read_only(np.zeros_like(pair.token_type_ids))
    flipped = changed_text(bert, pair, "flip segments")
    return pair, turned, flipped, replace(pair, token_type_ids=one), strange


@once
def followed(encoder: Encoder, first: str, second: str, other: str) -> Followed:
    """Run the pair in all ways, and read [CLS] after the last layer with the head."""
    from scipy.special import softmax

    head, texts = next_sentence_head(encoder.bert), runs_of(encoder.bert, first, second, other)
    states = encoder.hidden_states_many(texts)
    logits = head.logits(np.stack([layers[-1, 0] for layers in states]))
    probabilities = softmax(logits.astype(np.float64), axis=1)[:, FOLLOWS]
    return Followed(texts, logits, frozen(probabilities))


def _has_head(bert: Bert) -> bool:
    return not lacking(bert)


@view(
    "next sentence",
    page="Positions and Segments",
    rank=70,
    doing="Running the pair in five ways …",
)
def next_sentence(
    encoder: Encoder,
    na: Annotated[
        str, Line("Text A", about="text A of the next sentence", when=_has_head)
    ] = "The man went to the store.",
    nb: Annotated[
        str, Line("Text B, which follows", about="the text that follows A", when=_has_head)
    ] = "He bought a gallon of milk.",
    nc: Annotated[
        str,
        Line("Another text, which does not", about="a text that does not follow", when=_has_head),
    ] = "Penguins are flightless birds.",
) -> View:
    """Whether text B follows text A, for the pair, turned round, and with other segments."""
    bert = encoder.bert
    if missing := lacking(bert):
        return View(_without_head(bert, len(missing)))
    try:
        found = followed(encoder, na, nb, nc)
    except ModelUnavailableError as error:  # a damaged head, or no pooler
        return View(note("{problem}", problem=error), Links("Segments here:", SEGMENTS))
    likely, scores = found.probabilities, found.scores
    moved = np.abs(scores - scores[PAIR])
    by_segments = float(moved[[FLIPPED, ALONE]].max())
    return View(
        truncated(found.texts[PAIR], "The pair"),
        truncated(found.texts[OTHER], "A with the other text"),
        say(
            "The head <b>{tells}</b> the two texts apart: B follows A with probability "
            "<b>{pair}</b>, the other text with <b>{other}</b>. The other text moves the score by "
            "{by_text:.2f}, changed segments by up to {by_segments:.2f}: the {counts} count more.",
            method="the-next-sentence",
            pair=share(float(likely[PAIR])),
            other=share(float(likely[OTHER])),
            by_segments=by_segments,
            by_text=float(moved[OTHER]),
            tells="tells" if likely[PAIR] > 0.5 >= likely[OTHER] else "does not tell",
            counts="segments" if by_segments >= moved[OTHER] else "words",
        ),
        picture(
            _bars(likely),
            alt="Probability that the second text follows the first: "
            + "; ".join(f"{run} {share(float(p))}" for run, p in zip(RUNS, likely, strict=True))
            + ".",
            name="next-sentence",
        ),
        caption(
            "The head has two logits. The <b>first</b>, label 0, says “B follows A”; label 1 says "
            "“it does not”. The score is the first minus the second. {upper}",
            upper=origin_of(bert.checkpoint).upper,
        ),
        table(
            {
                "run": list(RUNS),
                "probability that it follows": likely,
                "logit 0, it follows": found.logits[:, FOLLOWS],
                "logit 1, it does not": found.logits[:, DOES_NOT],
                "score": scores,
            },
            name="next-sentence",
            fold="Table",
        ),
        program("next_sentence/next_sentence", bert, first=na, second=nb, other=nc),
        Links("What else segments do:", SEGMENTS),
    )


def _without_head(bert: Bert, missing: int) -> list[Part]:
    names = with_both_heads()
    return [
        say(
            "{model} has no head for the next sentence: its file lacks {missing_tensors} tensors. "
            "Of the models offered here, <b>{having}</b> {verb} it.",
            method="the-next-sentence",
            model=bert.name,
            missing_tensors=missing,
            having=joined(names) or "none",
            verb="has" if len(names) < 2 else "have",
        ),
        Links("Segments here:", SEGMENTS),
        *([Links("The pair in:", {name: {"model": name} for name in names})] if names else []),
    ]


def _bars(likely: Array) -> Figure:
    shown = bars(
        likely,
        "%{y}<br>probability %{x:.4f}",
        list(RUNS.values()),
        across=True,
        text=[share(float(one)) for one in likely],
        textposition="auto",
    )
    return draw(
        [shown],
        height=340,
        shapes=[vertical_line(0.5)],
        xaxis=titled("probability that it follows", range=[0, 1]),
        yaxis=named_rows(list(RUNS)),
    )

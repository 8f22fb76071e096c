"""What runs the model: the pooler, and what one step of training would move."""

from typing import Annotated

import numpy as np

from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual.marks import WordPair, read_word_pair
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.library_modules import (
    BackwardPass,
    PoolerSteps,
    backward_pass,
    pooler_steps,
)
from bertviz_core.figures import colors
from bertviz_core.figures.drawing import DOTTED, draw, marks, numbered, titled
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.tokens import tokenize
from bertviz_core.views.card import Bars, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import TextLine
from bertviz_core.views.parts import Chips, Sentence
from bertviz_core.views.view import View, caption, note, program, say, truncated

LENGTH = "length of the gradient"
POOLED = "Sinan loves a beautiful day"


@once_in_turn
def _steps(encoder: Encoder) -> PoolerSteps:
    return pooler_steps(encoder, tokenize(encoder.bert, POOLED))


@view("pooler", page="Inside the Model", rank=30, doing="Running the model and its pooler …")
def pooler(encoder: AnyEncoder) -> View:
    """What the pooler makes of the [CLS] vector."""
    bert = encoder.bert
    steps = _steps(encoder)
    points = marks(
        steps.cls,
        steps.output,
        {"color": colors.TOKEN, "size": 6, "opacity": 0.75},
        "dimension %{customdata}<br>[CLS] %{x:.4f}<br>pooler_output %{y:.4f}",
        customdata=np.arange(steps.cls.size, dtype=np.int32),
    )
    equal = {"type": "line", "x0": -1, "y0": -1, "x1": 1, "y1": 1, "line": DOTTED}
    return card(
        say(
            "The [CLS] vector of “{pooled}” and <code>pooler_output</code> have cosine similarity "
            "<b>{cosine:.3f}</b>. By hand, tanh(W·[CLS] + b) gives the same {count} numbers "
            "<b>{difference}</b>.",
            pooled=POOLED,
            cosine=steps.cosine,
            count=steps.output.size,
            difference=f"within {steps.difference:.1e}" if steps.difference else "exactly",
            method="the-pooler",
        ),
        name="pooler",
        columns=steps.columns(),
        chart=draw(
            [points],
            height=360,
            shapes=[equal],
            xaxis=titled("[CLS], last layer"),
            yaxis=titled("pooler_output", range=[-1.08, 1.08], zeroline=True),
        ),
        alt="Each dimension of the [CLS] vector against the same one of pooler_output; cosine "
        f"similarity {steps.cosine:.3f}.",
        below=[
            caption("A point for each dimension; on the dotted line both would be equal."),
            note(
                "All {count} numbers of this pooler's bias are exactly 0, as in a fresh model. So "
                "it was most likely never trained.",
                count=steps.dense.size,
            )
            if steps.zero_bias
            else [],
            caption("{upper}", upper=origin_of(bert.checkpoint).upper),
        ],
        decimals=4,
        program=program(POOLER_PROGRAM, bert, text=POOLED, name="pooler"),
    )


@once_in_turn
def _backward(encoder: Encoder, alike: str, beside: str) -> BackwardPass:
    pair = read_word_pair(encoder.bert, alike, beside or None)
    return backward_pass(encoder, pair.text, pair.first_positions, pair.second_positions)


@view(
    "what training changes",
    page="Inside the Model",
    rank=40,
    doing="Running the model forward and backward …",
)
def training(
    encoder: AnyEncoder,
    alike: Annotated[
        str,
        TextLine(
            "A sentence with two words in [brackets], to be made more alike",
            about="the sentence with two words to be made more alike",
        ),
    ] = "The [king] spoke to the [queen]",
    beside_it: Annotated[
        str,
        TextLine(
            "Sentence B (optional)", key="beside", about="its second sentence", placeholder="none"
        ),
    ] = "",
) -> View:
    """Which rows of the three tables one step of training would move."""
    bert = encoder.bert
    pair = read_word_pair(bert, alike, beside_it or None)
    text = pair.text
    gradients = _backward(encoder, alike, beside_it)
    rows = {
        "gradient of token row": gradients.word_rows[text.input_ids],
        "gradient of position row": gradients.position_rows[text.position_ids],
        "gradient of segment row": gradients.token_type_rows[text.token_type_ids],
    }
    shades = (colors.TOKEN, colors.POSITION, colors.SEGMENT)
    return card(
        [Chips(text), *truncated(text), _moving(pair, gradients)],
        name="gradient-rows",
        columns={
            "position": text.position_ids,
            "token": text.tokens,
            "token id": text.input_ids,
            "segment": text.columns()["segment"],
            **rows,
        },
        chart=Bars(
            LENGTH,
            dict(zip(rows, shades, strict=True)),
            names=numbered(text.tokens),
        ),
        below=[
            caption(
                "The three rows of a position are added. So a token that comes once has the same "
                "gradient as its position (padding apart). A segment row gets the sum over all its "
                "positions."
            ),
            caption(
                "requires_grad is true for each table: training may change it. Whether training "
                "did change it, the file does not say."
            ),
        ],
        decimals=5,
        program=program(
            TRAINING_PROGRAM,
            bert,
            text=pair.first.text,
            text_pair=beside_it or None,
            first_positions=list(pair.first_positions),
            second_positions=list(pair.second_positions),
            name="training",
        ),
    )


def _moving(pair: WordPair, gradients: BackwardPass) -> Sentence:
    text = pair.text
    # Of the token, position and segment table: rows that the text looks up, and that would move.
    used = [set(ids.tolist()) for ids in (text.input_ids, text.position_ids, text.token_type_ids)]
    by_row = (gradients.word_rows, gradients.position_rows, gradients.token_type_rows)
    moved = [set(np.flatnonzero(norms).tolist()) for norms in by_row]
    return say(
        "To make “{first}” and “{second}” (cosine {cosine:.3f}) more alike, training would move "
        "<b>{words}</b> of {all_words:,} token rows, <b>{positions}</b> of {all_positions} "
        "position rows and <b>{segments}</b> of {all_segments} segment rows"
        + (": exactly those this text uses." if used == moved else "."),
        first=pair.first.word,
        second=pair.second.word,
        cosine=gradients.cosine,
        words=len(moved[0]),
        all_words=gradients.word_rows.size,
        positions=len(moved[1]),
        all_positions=gradients.position_rows.size,
        segments=len(moved[2]),
        all_segments=gradients.token_type_rows.size,
        method="what-training-changes",
    )


POOLER_PROGRAM = '''
"""The pooler by hand, compared with the model's own, and its cosine with [CLS]."""

text = ...
tokenizer, model = ...
inputs = tokenizer(text, truncation=True, return_tensors="pt")
with torch.no_grad():
    result = model(**inputs)
    cls = result.last_hidden_state[:, 0]
    output = torch.tanh(cls @ model.pooler.dense.weight.T + model.pooler.dense.bias)
print(*(f"{number:.4f}" for number in output[0]))
print("largest difference:", (output - result.pooler_output).abs().max().item())
print(f"cosine with [CLS]: {torch.cosine_similarity(cls, output).item():.4f}")
'''


TRAINING_PROGRAM = '''
"""Two words pulled together: which rows of the tables one backward pass would move."""

first_positions = ...  # of the first word's tokens, counted from [CLS] = 0
second_positions = ...  # of the second word's
tokenizer, model, inputs = ...
vectors = model(**inputs).last_hidden_state[0]
first, second = vectors[first_positions].mean(dim=0), vectors[second_positions].mean(dim=0)
loss = 1 - torch.cosine_similarity(first, second, dim=0)
loss.backward()
print(f"cosine of the two words: {1 - loss.item():.5f}")

for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
    table = getattr(model.embeddings, name).weight
    rows = table.grad.double().norm(dim=1)
    print(name, "requires_grad", table.requires_grad, f"gradient {rows.norm():.5f}")
    for row in rows.nonzero().flatten().tolist():
        print("   row", row, f"{rows[row]:.5f}")
'''

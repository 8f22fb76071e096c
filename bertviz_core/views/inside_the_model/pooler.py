"""The pooler: what a dense layer and tanh make of the [CLS] vector."""

from typing import Annotated

import numpy as np

from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.library_modules import PoolerSteps, pooler_steps
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.figures.drawing import draw, marks
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Line
from bertviz_core.views.parts import caption, note, program, say, truncated
from bertviz_core.views.view import View


@once
def _steps(encoder: Encoder, pooled: str) -> PoolerSteps:
    return pooler_steps(encoder, InputText(pooled).tokenize(encoder.bert))


@view("pooler", page="Inside the Model", rank=30, doing="Running the model and its pooler …")
def pooler(
    encoder: Encoder,
    pooled: Annotated[
        str, Line("Sentence", about="the sentence of the pooler")
    ] = "Sinan loves a beautiful day",
) -> View:
    """What the pooler makes of the [CLS] vector."""
    bert, steps = encoder.bert, _steps(encoder, pooled)
    points = marks(
        steps.cls,
        steps.output,
        {"color": TOKEN, "size": 6, "opacity": 0.75},
        "dimension %{customdata}<br>[CLS] %{x:.4f}<br>pooler_output %{y:.4f}",
        customdata=np.arange(steps.cls.size, dtype=np.int32),
    )
    equal = {"type": "line", "x0": -1, "y0": -1, "x1": 1, "y1": 1}
    return card(
        [
            *truncated(InputText(pooled).tokenize(bert)),
            say(
                "The [CLS] vector and <code>pooler_output</code> have cosine similarity "
                "<b>{cosine:.3f}</b>. By hand, tanh(W·[CLS] + b) gives the same {count} numbers "
                "<b>{difference}</b>.",
                cosine=steps.cosine,
                count=steps.output.size,
                difference=f"within {steps.difference:.1e}" if steps.difference else "exactly",
                method="the-pooler",
            ),
        ],
        name="pooler",
        columns=steps.columns(),
        chart=draw(
            [points],
            height=360,
            shapes=[equal | {"line": {"color": MUTED, "width": 1.5, "dash": "dot"}}],
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
        program=program(PROGRAM, bert, text=pooled, name="pooler"),
    )


PROGRAM = '''
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

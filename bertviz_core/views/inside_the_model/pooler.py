"""The pooler: the [CLS] vector, step by step through a dense layer and tanh."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.library_modules import PoolerSteps, pooler_steps
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import MUTED, OUTPUT, TOKEN
from bertviz_core.figures.drawing import Figure, Trace, draw, marks
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Line
from bertviz_core.views.parts import beside, caption, note, picture, program, say, table, truncated
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
    return View(
        truncated(InputText(pooled).tokenize(bert)),
        say(
            "The [CLS] vector and <code>pooler_output</code> have cosine similarity "
            "<b>{cosine:.3f}</b>. By hand, tanh(W·[CLS] + b) gives the same {count} numbers "
            "<b>{difference}</b>.",
            cosine=steps.cosine,
            count=steps.output.size,
            difference=f"within {steps.difference:.1e}" if steps.difference else "exactly",
            method="the-pooler",
        ),
        beside(
            [
                caption("What tanh does: dense layer → pooler_output"),
                picture(
                    scatter(steps.dense, steps.output, "after the dense layer", curve=True),
                    alt=f"All {steps.dense.size} dimensions lie on the curve of tanh; the dense "
                    f"layer gives {steps.dense.min():.2f} to {steps.dense.max():.2f}, the output "
                    f"{steps.output.min():.3f} to {steps.output.max():.3f}.",
                    name="pooler-tanh",
                ),
            ],
            [
                caption("How different the two are: [CLS] → pooler_output"),
                picture(
                    scatter(steps.cls, steps.output, "[CLS], last layer", curve=False),
                    alt="Each dimension of the [CLS] vector against the same one of pooler_output: "
                    f"they form no line; cosine similarity {steps.cosine:.3f}.",
                    name="pooler-cls",
                ),
            ],
        ),
        note(
            "All {count} numbers of this pooler's bias are exactly 0, as in a fresh model. So it "
            "was most likely never trained.",
            count=steps.dense.size,
        )
        if steps.zero_bias
        else [],
        caption("{upper}", upper=origin_of(bert.checkpoint).upper),
        table(steps.columns, name="pooler", decimals=4, fold="Table"),
        program(PROGRAM, bert, text=pooled, name="pooler"),
    )


def scatter(before: Array, after: Array, title: str, *, curve: bool) -> Figure:
    """Draw the output over the same dimension before; with tanh, or the line of equal numbers."""
    end = float(np.abs(before).max(initial=1.0)) * 1.05
    x = np.linspace(-end, end, 121, dtype=np.float32)
    tanh: Trace = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": np.tanh(x),
        "line": {"color": MUTED, "width": 1.5},
        "hoverinfo": "skip",
    }
    points = marks(
        before,
        after,
        {"color": OUTPUT if curve else TOKEN, "size": 6, "opacity": 0.75},
        "dimension %{customdata}<br>before %{x:.4f}<br>after %{y:.4f}",
        customdata=np.arange(before.size, dtype=np.int32),
    )
    equal = {"type": "line", "x0": -1, "y0": -1, "x1": 1, "y1": 1}
    return draw(
        [tanh, points] if curve else [points],
        height=340,
        shapes=[] if curve else [equal | {"line": {"color": MUTED, "width": 1.5, "dash": "dot"}}],
        xaxis=titled(title),
        yaxis=titled("pooler_output", range=[-1.08, 1.08], zeroline=True),
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

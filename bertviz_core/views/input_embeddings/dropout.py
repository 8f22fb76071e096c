"""What dropout does, in the model's own module in train mode."""

from typing import Annotated

import numpy as np

from bertviz_core.encoder import Encoder, library_modules
from bertviz_core.encoder.library_modules import MOST_DRAWS, DropoutDraws
from bertviz_core.figures import colors
from bertviz_core.figures.axes import titled
from bertviz_core.figures.drawing import Figure, draw, line
from bertviz_core.figures.embeddings.stack import Panel, embedding_stack, saturation_limit
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import note, picture, program, say, table
from bertviz_core.views.view import Text, View

LARGEST_SEED = 100


@once
def _drawn(library: Encoder, typed: InputText, draws: int, seed: int) -> DropoutDraws:
    return library_modules.dropout_draws(library, typed.tokenize(library.bert), draws, seed)


@view("dropout", page="Input Embeddings", rank=70, doing="Running the layer in train mode …")
def dropout(
    library: Encoder,
    typed: InputText,
    draws: Annotated[
        int, Slider("Runs in train mode", 1, MOST_DRAWS, about="how many runs with dropout")
    ] = 20,
    dropseed: Annotated[
        int, Slider("Seed of the first run", 0, LARGEST_SEED, about="seed of the first of them")
    ] = 0,
) -> View:
    """What dropout changes in train mode, and what is left of it in the mean of many runs."""
    bert, text = library.bert, typed.tokenize(library.bert)
    drawn = _drawn(library, typed, draws, dropseed)
    limit = saturation_limit(drawn.evaluated)
    panels = {
        "Eval mode": drawn.evaluated,
        "Train mode, first run": drawn.first,
        "Train − eval": drawn.first - drawn.evaluated,
    }
    return View(
        [note("This checkpoint's dropout has probability 0: train mode changes nothing.")]
        if drawn.probability == 0
        else [],
        say(
            "Two runs in eval mode {verb}. In train mode the first run sets <b>{zero_share}</b> of "
            "the numbers to zero (p = {probability}) and multiplies the others by {factor}. The "
            "mean of {runs} lies <b>{distance}</b> from eval mode, one run {first_distance} (root "
            "mean square).",
            verb="are equal to the last bit" if drawn.eval_repeats else "differ",
            zero_share=f"{drawn.zeroed[0]:.1%}",
            probability=f"{drawn.probability:g}",
            factor=f"{1 / (1 - drawn.probability):.3f}" if drawn.probability < 1 else "0",
            runs="1 run" if draws == 1 else f"{draws} runs",
            distance=f"{drawn.distances[-1]:.3f}",
            first_distance=f"{drawn.distances[0]:.3f}",
            method="order-and-dropout",
        ),
        Text(
            "After LayerNorm the module has a dropout layer. It does nothing in eval mode, in "
            "which all of this app runs; in train mode it sets numbers to zero at random."
        ),
        picture(
            embedding_stack(
                [Panel(title, values, limit, colors.OUTPUT) for title, values in panels.items()],
                text.tokens,
                range(bert.hidden_size),
            ),
            alt=f"Heatmaps of the input embedding of {len(text)} tokens in eval mode and in train "
            f"mode, and their difference; {drawn.zeroed[0]:.1%} of the cells are zero in train "
            "mode.",
            name="dropout",
        ),
        picture(
            _curves(drawn),
            alt="Distance of the mean of n runs in train mode from eval mode: "
            f"{drawn.distances[0]:.3f} after one run, {drawn.distances[-1]:.3f} after {draws}; "
            f"expected {drawn.expected[-1]:.3f}.",
            name="dropout-mean",
        ),
        table(drawn.columns(), name="dropout", decimals=4),
        program("embeddings/dropout", bert, typed, draws=draws, seed=dropseed),
    )


def _curves(drawn: DropoutDraws) -> Figure:
    """How far the mean of n runs lies from eval mode, by n."""
    runs = np.arange(1, len(drawn.distances) + 1)
    curves = [
        line(runs, distances.astype(np.float32), name, "%{x}: %{y:.4f}", number)
        for number, (name, distances) in enumerate(
            {
                "measured": drawn.distances,
                "expected: root mean square · √(p / (1 − p) / n)": drawn.expected,
            }.items()
        )
    ]
    return draw(
        curves,
        height=380,
        legend=True,
        xaxis=titled("n, runs in train mode", tickformat="d"),
        yaxis=titled("distance of their mean from eval", rangemode="tozero"),
    )

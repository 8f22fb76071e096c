"""The library's own embedding layer: against our sum in every order, and with its dropout."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder, library_modules
from bertviz_core.encoder.library_modules import MOST_DRAWS, ORDERS, DropoutDraws, OrderComparison
from bertviz_core.figures import colors
from bertviz_core.figures.axes import named_rows, titled
from bertviz_core.figures.colors import OUTPUT
from bertviz_core.figures.drawing import Figure, bars, draw, line
from bertviz_core.figures.stack import Panel, embedding_stack, saturation_limit
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import note, picture, program, say, table
from bertviz_core.views.view import Text, View

NAMES = {"word": "token", "token_type": "segment", "position": "position"}
ROUNDING = 1e-5  # a difference below it comes from rounding alone
LARGEST_SEED = 100


@once
def _measured(library: Encoder, typed: InputText) -> tuple[float, OrderComparison]:
    text = typed.tokenize(library.bert)
    own = library.embedding_layer(text)
    ours = input_embeddings(library.bert, text).output
    return float(np.abs(own - ours).max()), library_modules.sums_in_all_orders(library, text)


@view("the proof", page="Input Embeddings", rank=20, doing="Running the model's own layer …")
def proof(library: Encoder, typed: InputText) -> View:
    """Our numbers against the library's own embedding layer, and the sum in all six orders."""
    difference, compared = _measured(library, typed)
    names = [f"({NAMES[a]} + {NAMES[b]}) + {NAMES[c]}" for a, b, c in ORDERS]
    differences = compared.differences
    return View(
        say(
            "LayerNorm(token + segment + position), as drawn above, against "
            "<code>model.embeddings</code> of the transformers library: "
            "the largest difference over {count} numbers up to {largest} "
            "is <b>{difference}</b>. "
            + (
                "That is rounding: ours is computed in 64 bits, the model's in 32."
                if difference < ROUNDING
                else "That is more than rounding."
            ),
            count=f"{compared.cells:,}",
            difference=f"{difference:.1e}",
            largest=f"{compared.largest:.2f}",
            method="the-proof",
        ),
        say(
            "Added in 32 bits in the library's order, all numbers are equal "
            + ("to the last bit. " if differences[0] == 0 else "up to rounding. ")
            + "So they are in {exact_orders} of the six orders; the others are off by up to "
            "<b>{difference_of_orders}</b>.",
            exact_orders=int((differences == 0).sum()),
            difference_of_orders=f"{differences.max():.0e}",
            method="order-and-dropout",
        ),
        picture(
            _order_bars(names, differences),
            alt="Bars of the largest difference from the module, by order of the sum: "
            + "; ".join(f"{name} {gap:.1e}" for name, gap in zip(names, differences, strict=True))
            + ".",
            name="orders",
        ),
        Text(
            "Swapping the two terms in brackets changes nothing: a + b is b + a. The last term "
            "matters, because each sum is rounded to single precision."
        ),
        table(
            {
                "order": names,
                "largest difference of the sum, in 10⁻⁷": compared.sum_differences * 1e7,
                "largest difference of the output, in 10⁻⁷": differences * 1e7,
                "share of equal numbers": compared.equal_cells,
            },
            name="orders",
        ),
        program("embeddings/orders", library.bert, typed),
    )


def _order_bars(names: list[str], differences: Exact) -> Figure:
    room = float(differences.max()) * 1.35 or 1e-6
    drawn = bars(
        differences,
        "%{customdata}<br>%{x:.2e}",
        OUTPUT,
        across=True,
        text=[f"{gap:.1e}" if gap else "0, bit for bit" for gap in differences],
        textposition="outside",
        cliponaxis=False,
        customdata=names,
    )
    return draw(
        [drawn],
        height=30 * len(names) + 100,
        xaxis=titled("largest difference", range=[0, room], exponentformat="e", nticks=5),
        yaxis=named_rows(names),
    )


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
        note("This checkpoint's dropout has probability 0: train mode changes nothing.")
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
            "After LayerNorm comes dropout. In train mode it sets numbers to zero at random. In "
            "eval mode it does nothing; this app always uses eval mode."
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

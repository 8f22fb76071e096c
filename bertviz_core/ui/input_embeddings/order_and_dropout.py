"""Does the order of the sum matter, and what does dropout do: the model's own module tried out."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.encoder.embedding_layer import MOST_DRAWS, DropoutDraws, OrderComparison
from bertviz_core.figures import colors
from bertviz_core.figures.embeddings.lines import lines_over_runs
from bertviz_core.figures.embeddings.orders import order_bars
from bertviz_core.figures.heatmaps.embeddings import Panel, embedding_stack, saturation_limit
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.input_embeddings import results as parts_cache
from bertviz_core.ui.input_embeddings.shares import table_height
from bertviz_core.ui.memory import models
from bertviz_core.ui.results import library_doing
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.waiting import waiting

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.tokens import TokenizedText

NAMES = {"word": "token", "token_type": "segment", "position": "position"}
LARGEST_SEED = 100


def order_and_dropout(bert: "Bert", text: "TokenizedText", first: str, pair: str | None) -> None:
    """Run the module in eval and in train mode, once it may be loaded."""
    st.subheader("Does the order of the sum matter?", anchor=False)
    if not models.has_encoder(bert.name) and not st.button(
        "Run the model's own layer in every order",
        icon=":material/swap_horiz:",
        key="orders",
        type="primary",
    ):
        st.caption("Loads the whole model once, a few seconds; afterwards the results stand here.")
        return
    with waiting(library_doing(bert.name, "Adding in six orders …"), height=320):
        orders = parts_cache.sums_in_all_orders(bert.name, first, pair)
    _orders(orders)
    code(lambda: filled("embeddings/orders", bert, text=first, text_pair=pair), name="orders")
    st.subheader("What does dropout do?", anchor=False)
    st.markdown(
        "After LayerNorm the module has a dropout layer. It does nothing in eval mode, in which "
        "all of this app runs; in train mode it sets numbers to zero at random."
    )
    left, right = slots.row("dropout", 2)
    with left:
        draws = inputs.number("Runs in train mode", 1, MOST_DRAWS, 20, key="draws")
    with right:
        seed = inputs.number("Seed of the first run", 0, LARGEST_SEED, 0, key="dropseed")
    with waiting("Running the layer in train mode …", height=480):
        found = parts_cache.dropout_draws(bert.name, first, pair, draws, seed)
    _dropout(bert, text, found)
    code(
        lambda: filled(
            "embeddings/dropout", bert, text=first, text_pair=pair, draws=draws, seed=seed
        ),
        name="dropout",
    )


def _orders(found: OrderComparison) -> None:
    names = [f"({NAMES[a]} + {NAMES[b]}) + {NAMES[c]}" for a, b, c in found.orders]
    exact = [name for name, gap in zip(names, found.differences, strict=True) if gap == 0]
    finding(
        "Added in the library's order, all {cells} numbers equal those of model.embeddings "
        "{verdict}. Of the six orders {exact} do; the others are off by up to "
        "<b>{most}</b>, where the numbers reach {largest}.",
        cells=f"{found.cells:,}",
        verdict="to the last bit" if found.differences[0] == 0 else "up to rounding",
        exact=len(exact),
        most=f"{found.differences.max():.0e}",
        largest=f"{found.largest:.2f}",
    )
    chart(
        order_bars(names, found.differences),
        alt="Bars of the largest difference from the module, by order of the sum: "
        + "; ".join(f"{name} {gap:.1e}" for name, gap in zip(names, found.differences, strict=True))
        + ".",
        name="orders",
    )
    st.caption(
        "Swapping the two terms in brackets changes nothing: a + b is b + a to the last bit. Which "
        "term comes last does, because each sum is rounded to single precision."
    )
    import pandas as pd

    table(
        pd.DataFrame(
            {
                "order": names,
                "largest difference of the sum, in 10⁻⁷": found.sum_differences * 1e7,
                "largest difference of the output, in 10⁻⁷": found.differences * 1e7,
                "share of equal numbers": found.equal_cells,
            }
        ),
        name="orders",
    )


def _dropout(bert: "Bert", text: "TokenizedText", found: DropoutDraws) -> None:
    if found.probability == 0:
        note("This checkpoint's dropout has probability 0: train mode changes nothing.")
    draws = len(found.zeroed)
    finding(
        "Two runs in eval mode {repeat}. In train mode the first run sets <b>{zeroed}</b> of the "
        "numbers to zero (p = {p}) and multiplies the others by {scale}. The mean over {draws} "
        "lies <b>{distance}</b> from eval mode, one run {first} (root mean square).",
        repeat="are equal to the last bit" if found.eval_repeats else "differ",
        zeroed=f"{found.zeroed[0]:.1%}",
        p=f"{found.probability:g}",
        scale=f"{1 / (1 - found.probability):.3f}" if found.probability < 1 else "0",
        draws="1 run" if draws == 1 else f"{draws} runs",
        distance=f"{found.distances[-1]:.3f}",
        first=f"{found.distances[0]:.3f}",
    )
    limit = saturation_limit(found.evaluated)
    chart(
        embedding_stack(
            [
                Panel("Eval mode", found.evaluated, limit, colors.OUTPUT),
                Panel("Train mode, first run", found.first, limit, colors.OUTPUT),
                Panel("Train − eval", found.first - found.evaluated, limit, colors.OUTPUT),
            ],
            text.tokens,
            range(bert.hidden_size),
        ),
        alt=f"Heatmaps of the input embedding of {len(text)} tokens in eval mode and in train "
        f"mode, and their difference; {found.zeroed[0]:.1%} of the cells are zero in train mode.",
        name="dropout",
    )
    chart(
        lines_over_runs(
            {
                "measured": found.distances,
                "expected: root mean square · √(p / (1 − p) / n)": found.expected,
            },
            runs="n, runs in train mode",
            title="distance of their mean from eval",
        ),
        alt=f"Distance of the mean of n runs in train mode from eval mode: {found.distances[0]:.3f}"
        f" after one run, {found.distances[-1]:.3f} after {draws}; expected "
        f"{found.expected[-1]:.3f}.",
        name="dropout-mean",
    )
    import pandas as pd

    table(
        pd.DataFrame(
            {
                "run": np.arange(1, draws + 1),
                "share set to zero": found.zeroed,
                "distance of the mean so far from eval": found.distances,
                "expected distance": found.expected,
            }
        ),
        name="dropout",
        decimals=4,
        height=table_height(draws),
    )

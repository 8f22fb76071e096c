"""Does the order of the sum matter, and what does dropout do: the model's own module tried out."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.encoder.embedding_layer import MOST_DRAWS, ORDERS, DropoutDraws, OrderComparison
from bertviz_core.figures import colors
from bertviz_core.figures.embeddings.orders import lines_over_runs, order_bars
from bertviz_core.figures.embeddings.stack import Panel, embedding_stack, saturation_limit
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.input_embeddings.results import dropout_draws, sums_in_all_orders
from bertviz_core.ui.results import library_doing, ready_or_asked
from bertviz_core.ui.show import chart, code, table, waiting

NAMES = {"word": "token", "token_type": "segment", "position": "position"}
LARGEST_SEED = 100


def order_and_dropout(bert: Bert, typed: InputText, text: TokenizedText) -> None:
    """Run the module in eval and in train mode, once it may be loaded."""
    st.subheader("Does the order of the sum matter?", anchor=False)
    if not ready_or_asked(bert, "Run the model's own layer in every order", key="orders"):
        return
    with waiting(library_doing(bert.name, "Adding in six orders …"), height=320):
        orders = sums_in_all_orders(bert.name, typed)
    _orders(orders)
    code("embeddings/orders", bert, typed)
    st.subheader("What does dropout do?", anchor=False)
    st.markdown(
        "After LayerNorm the module has a dropout layer. It does nothing in eval mode, in which "
        "all of this app runs; in train mode it sets numbers to zero at random."
    )
    with slots.cells("dropout", 2):
        draws = inputs.number("Runs in train mode", 1, MOST_DRAWS, 20, key="draws")
        seed = inputs.number("Seed of the first run", 0, LARGEST_SEED, 0, key="dropseed")
    with waiting("Running the layer in train mode …", height=480):
        drawn = dropout_draws(bert.name, typed, draws, seed)
    _dropout(bert, text, drawn)
    code("embeddings/dropout", bert, typed, draws=draws, seed=seed)


def _orders(compared: OrderComparison) -> None:
    names = [f"({NAMES[a]} + {NAMES[b]}) + {NAMES[c]}" for a, b, c in ORDERS]
    differences = compared.differences
    finding(
        "Added in the library's order, all {count} numbers equal those of model.embeddings "
        + ("to the last bit. " if differences[0] == 0 else "up to rounding. ")
        + "Of the six orders {exact_orders} do; the others are off by up to "
        "<b>{difference_of_orders}</b>, where the numbers reach {largest}.",
        count=f"{compared.cells:,}",
        exact_orders=int((differences == 0).sum()),
        difference_of_orders=f"{differences.max():.0e}",
        largest=f"{compared.largest:.2f}",
        method="order-and-dropout",
    )
    chart(
        order_bars(names, differences),
        alt="Bars of the largest difference from the module, by order of the sum: "
        + "; ".join(f"{name} {gap:.1e}" for name, gap in zip(names, differences, strict=True))
        + ".",
        name="orders",
    )
    st.caption(
        "Swapping the two terms in brackets changes nothing: a + b is b + a to the last bit. Which "
        "term comes last does, because each sum is rounded to single precision."
    )
    table(
        {
            "order": names,
            "largest difference of the sum, in 10⁻⁷": compared.sum_differences * 1e7,
            "largest difference of the output, in 10⁻⁷": differences * 1e7,
            "share of equal numbers": compared.equal_cells,
        },
        name="orders",
    )


def _dropout(bert: Bert, text: TokenizedText, drawn: DropoutDraws) -> None:
    if drawn.probability == 0:
        note("This checkpoint's dropout has probability 0: train mode changes nothing.")
    draws = len(drawn.zeroed)
    finding(
        "Two runs in eval mode {verb}. In train mode the first run sets <b>{zero_share}</b> of the "
        "numbers to zero (p = {probability}) and multiplies the others by {scale}. The mean of "
        "{runs} lies <b>{distance}</b> from eval mode, one run {first_distance} (root mean "
        "square).",
        verb="are equal to the last bit" if drawn.eval_repeats else "differ",
        zero_share=f"{drawn.zeroed[0]:.1%}",
        probability=f"{drawn.probability:g}",
        scale=f"{1 / (1 - drawn.probability):.3f}" if drawn.probability < 1 else "0",
        runs="1 run" if draws == 1 else f"{draws} runs",
        distance=f"{drawn.distances[-1]:.3f}",
        first_distance=f"{drawn.distances[0]:.3f}",
        method="order-and-dropout",
    )
    limit = saturation_limit(drawn.evaluated)
    panels = {
        "Eval mode": drawn.evaluated,
        "Train mode, first run": drawn.first,
        "Train − eval": drawn.first - drawn.evaluated,
    }
    chart(
        embedding_stack(
            [Panel(title, values, limit, colors.OUTPUT) for title, values in panels.items()],
            text.tokens,
            range(bert.hidden_size),
        ),
        alt=f"Heatmaps of the input embedding of {len(text)} tokens in eval mode and in train "
        f"mode, and their difference; {drawn.zeroed[0]:.1%} of the cells are zero in train mode.",
        name="dropout",
    )
    chart(
        lines_over_runs(
            {
                "measured": drawn.distances,
                "expected: root mean square · √(p / (1 − p) / n)": drawn.expected,
            },
            runs="n, runs in train mode",
            title="distance of their mean from eval",
        ),
        alt=f"Distance of the mean of n runs in train mode from eval mode: {drawn.distances[0]:.3f}"
        f" after one run, {drawn.distances[-1]:.3f} after {draws}; expected "
        f"{drawn.expected[-1]:.3f}.",
        name="dropout-mean",
    )
    table(drawn.columns(), name="dropout", decimals=4)

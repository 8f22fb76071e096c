"""The library's own embedding layer against our sum, in every order."""

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder, library_modules
from bertviz_core.encoder.library_modules import ORDERS, OrderComparison
from bertviz_core.figures.stack import Panel, embedding_stack, saturation_limit
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, picture, program, say, table
from bertviz_core.views.view import View

NAMES = {"word": "token", "token_type": "segment", "position": "position"}
SIDES = ("our sum", "the library")
ROUNDING = 1e-5  # a difference below it comes from rounding alone


@once
def _measured(encoder: Encoder, typed: InputText) -> tuple[Array, Array, OrderComparison]:
    text = typed.tokenize(encoder.bert)
    ours, own = input_embeddings(encoder.bert, text).output, encoder.embedding_layer(text)
    return ours, own, library_modules.sums_in_all_orders(encoder, text)


@view("the proof", page="Input Embeddings", rank=20, doing="Running the model's own layer …")
def proof(encoder: Encoder, typed: InputText, position: int, large: bool = False) -> View:
    """Our numbers against the library's own embedding layer, and the sum in all six orders."""
    text, (ours, own, compared) = typed.tokenize(encoder.bert), _measured(encoder, typed)
    difference, limit = float(np.abs(own - ours).max()), saturation_limit(own)
    panels = [Panel(title, values, limit) for title, values in zip(SIDES, (ours, own), strict=True)]
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
        picture(
            embedding_stack(panels, text.tokens, range(own.shape[1]), chosen=position, large=large),
            alt=f"Two heatmaps of {len(text)} tokens by {own.shape[1]} dimensions that agree: our "
            f"sum after LayerNorm, and the library's. The largest difference is {difference:.1e}.",
            name="proof",
        ),
        caption(
            "Added in 32 bits in the library's order, all numbers are equal "
            + ("to the last bit. " if differences[0] == 0 else "up to rounding. ")
            + "So they are in {exact_orders} of the six orders; the others are off by up to "
            "<b>{difference_of_orders}</b>: each sum is rounded, so the last term matters.",
            exact_orders=int((differences == 0).sum()),
            difference_of_orders=f"{differences.max():.0e}",
            method="order-of-the-sum",
        ),
        table(
            {
                "order": names,
                "largest difference of the sum, in 10⁻⁷": compared.sum_differences * 1e7,
                "largest difference of the output, in 10⁻⁷": differences * 1e7,
                "share of equal numbers": compared.equal_cells,
            },
            name="orders",
            fold="Table of the six orders",
        ),
        program(PROGRAM, encoder.bert, typed, name="orders"),
    )


PROGRAM = '''
"""The three embeddings added in all six orders, each compared with the model's own."""

from itertools import permutations

embedding_parts = ...
tokenizer, model, inputs = ...
with torch.no_grad():
    own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
parts = dict(zip(["token", "segment", "position"], embedding_parts(model, inputs), strict=True))
for a, b, c in permutations(parts):
    with torch.no_grad():
        output = model.embeddings.LayerNorm(parts[a] + parts[b] + parts[c])
    difference = (output - own).abs().max().item()
    equal = (output == own).double().mean().item()
    print(f"({a} + {b}) + {c}", f"{1e7 * difference:.2f} in 10^-7,", f"{equal:.3f}")
'''

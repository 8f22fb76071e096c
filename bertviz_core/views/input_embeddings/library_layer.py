"""An embedding as the library makes it: one-hot or looked up, its modules, and the proof."""

from typing import Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import one_hot_product
from bertviz_core.encoder import Encoder, library_modules
from bertviz_core.encoder.library_modules import ORDERS, OrderComparison
from bertviz_core.figures.stack import Panel, embedding_stack, saturation_limit, signed_rows
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, program, say, table
from bertviz_core.views.sentences import share
from bertviz_core.views.view import View

DIMENSIONS = 4  # that the program of a one-hot vector prints
WAYS = ("one-hot × table", "row of the table")
NAMES = {"word": "token", "token_type": "segment", "position": "position"}
ROUNDING = 1e-5  # a difference below it comes from rounding alone


@view("one-hot times a matrix?", page="Input Embeddings", rank=12)
def one_hot(bert: Bert, typed: InputText, position: int) -> View:
    """What an embedding is: the token's one-hot vector times the table is one row of the table."""
    text, words = typed.tokenize(bert), bert.tables.word_embeddings
    token_id = int(text.input_ids[position])
    product, row = rows = np.stack([one_hot_product(words, token_id), words[token_id]])
    return card(
        say(
            "The one-hot vector of <b>{token}</b> times the token table gives row <b>{id}</b>: "
            "their {size} numbers differ by at most <b>{difference:g}</b>. The product takes "
            "<b>{multiplications}</b> multiplications, a look-up takes none.",
            token=text.tokens[position],
            id=f"{token_id:,}",
            size=words.shape[1],
            difference=float(np.abs(product - row).max()),
            multiplications=f"{words.size:,}",
            method="one-hot-times-a-matrix",
        ),
        name="one-hot",
        columns={"dimension": np.arange(len(row)), **dict(zip(WAYS, rows, strict=True))},
        chart=signed_rows(rows, WAYS, saturation_limit(rows)),
        alt=f"Heatmap of two equal rows of {len(row)} numbers: the one-hot vector with its 1 at id "
        f"{token_id} times the token table, and row {token_id} of the table.",
        below=caption(
            "Each row of the table is multiplied by its number in the one-hot vector, which is "
            "{count} long with a 1 at {place}; then all rows are added: a row times 0 adds "
            "nothing. Segment and position are looked up in the same way, each in its own table.",
            count=f"{len(words):,}",
            place=f"{token_id:,}",
        ),
        decimals=6,
        program=program(
            ONE_HOT_PROGRAM, bert, typed, position=position, shown=DIMENSIONS, name="one_hot"
        ),
    )


@once
def _measured(encoder: Encoder, typed: InputText) -> tuple[Array, Array, OrderComparison]:
    text = typed.tokenize(encoder.bert)
    ours, own = input_embeddings(encoder.bert, text).output, encoder.embedding_layer(text)
    return ours, own, library_modules.sums_in_all_orders(encoder, text)


@view("the proof", page="Input Embeddings", rank=20, doing="Running the model's own layer …")
def proof(encoder: Encoder, typed: InputText, position: int, large: bool = False) -> View:
    """The library's own embedding layer: its numbers against ours, its modules one by one."""
    text, (ours, own, compared) = typed.tokenize(encoder.bert), _measured(encoder, typed)
    difference, limit = float(np.abs(own - ours).max()), saturation_limit(own)
    panels = [Panel("our sum", ours, limit), Panel("the library", own, limit)]
    differences, modules = compared.differences, _modules(encoder.bert)
    counts = modules["numbers"]
    return card(
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
        name="proof",
        columns={
            "order": [f"({NAMES[a]} + {NAMES[b]}) + {NAMES[c]}" for a, b, c in ORDERS],
            "largest difference of the sum, in 10⁻⁷": compared.sum_differences * 1e7,
            "largest difference of the output, in 10⁻⁷": differences * 1e7,
            "share of equal numbers": compared.equal_cells,
        },
        chart=embedding_stack(
            panels, text.tokens, range(own.shape[1]), chosen=position, large=large
        ),
        alt=f"Two heatmaps of {len(text)} tokens by {own.shape[1]} dimensions that agree: our "
        f"sum after LayerNorm, and the library's. The largest difference is {difference:.1e}.",
        below=[
            caption(
                "Added in 32 bits in the library's order, all numbers are equal "
                + ("to the last bit. " if differences[0] == 0 else "up to rounding. ")
                + "So they are in {exact_orders} of the six orders; the others are off by up to "
                "<b>{difference_of_orders}</b>: each sum is rounded, so the last term matters.",
                exact_orders=int((differences == 0).sum()),
                difference_of_orders=f"{differences.max():.0e}",
                method="order-of-the-sum",
            ),
            caption(
                "<code>print(model.embeddings)</code> shows {modules} modules. Of their {numbers} "
                "numbers <b>{share}</b> are in the token table; dropout has none.",
                modules=len(counts),
                numbers=f"{sum(counts):,}",
                share=share(counts[0] / sum(counts)),
            ),
            table(modules, name="modules", presented=True),
        ],
        fold="Table of the six orders",
        program=program(PROOF_PROGRAM, encoder.bert, typed, name="proof"),
    )


def _modules(bert: Bert) -> dict[str, Any]:
    """What `print(model.embeddings)` shows, line by line."""
    size, padding = bert.hidden_size, bert.padding_row
    rows = [bert.vocab_size, bert.max_position_embeddings, bert.type_vocab_size]
    at = skipped = ""
    if padding is not None:
        at = f", padding_idx={padding}"
        skipped = f" Row {padding}, {bert.vocabulary.tokens[padding]}, gets no gradient here."
    normed = f"({size},), eps={bert.layer_norm_eps}, elementwise_affine=True, bias=True"
    dropped = bert.settings.get("hidden_dropout_prob", 0.1)
    return {
        "BertEmbeddings": (
            f"(word_embeddings): Embedding({rows[0]}, {size}{at})",
            f"(position_embeddings): Embedding({rows[1]}, {size})",
            f"(token_type_embeddings): Embedding({rows[2]}, {size})",
            f"(LayerNorm): LayerNorm({normed})",
            f"(dropout): Dropout(p={dropped}, inplace=False)",
        ),
        "what it does": (
            f"A row for each token.{skipped}",
            "A row for each position.",
            "A row for each segment.",
            "Sum minus mean, divided by √(variance + eps), × weight + bias.",
            "In training sets a share p of the numbers to 0. Off here, so no view shows it.",
        ),
        "numbers": [count * size for count in (*rows, 2, 0)],  # LayerNorm: weights and biases
    }


ONE_HOT_PROGRAM = '''
"""One token: its one-hot vector times the token table, and the row that is looked up."""

position = ...  # of the token
shown = ...  # dimensions
tokenizer, model, inputs = ...
table = model.embeddings.word_embeddings.weight.detach()
token_id = inputs["input_ids"][0, position]
product = torch.nn.functional.one_hot(token_id, len(table)).float() @ table
for name, numbers in {"one-hot x table": product, "row": table[token_id]}.items():
    print(name, *(f"{number:.4f}" for number in numbers[:shown].tolist()))
print("largest difference", (product - table[token_id]).abs().max().item())
'''


PROOF_PROGRAM = '''
"""The modules of the embedding layer, and the sum in all six orders beside the layer's own."""

embedding_parts = ...
tokenizer, model, inputs = ...
print(model.embeddings)
for name, parameter in model.embeddings.named_parameters():
    print(name, parameter.numel())

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

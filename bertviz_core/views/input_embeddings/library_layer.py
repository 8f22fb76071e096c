"""An embedding as the library makes it: one-hot or looked up, and the proof."""

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import one_hot_product
from bertviz_core.encoder import Encoder
from bertviz_core.figures.matrices import Panel, embedding_stack, saturation_limit, signed_rows
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.tokens import InputText
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.view import View, caption, program, say

NAMES = ("one-hot × table", "row of the table")


@view("one-hot times a matrix?", page="Input Embeddings", rank=12)
def one_hot(bert: Bert, typed: InputText, position: int) -> View:
    """What an embedding is: the token's one-hot vector times the table is one row of the table."""
    text = typed.tokenize(bert)
    words = bert.tables.word_embeddings
    token_id = int(text.input_ids[position])
    rows = np.stack([one_hot_product(words, token_id), words[token_id]])
    return card(
        say(
            "The one-hot vector of <b>{token}</b> times the token table gives row <b>{id}</b>: "
            "their {size} numbers differ by at most <b>{difference:g}</b>. The product takes "
            "<b>{multiplications}</b> multiplications, a look-up takes none.",
            token=text.tokens[position],
            id=f"{token_id:,}",
            size=words.shape[1],
            difference=float(np.abs(rows[0] - rows[1]).max()),
            multiplications=f"{words.size:,}",
            method="one-hot-times-a-matrix",
        ),
        name="one-hot",
        columns={"dimension": np.arange(rows.shape[1]), **dict(zip(NAMES, rows, strict=True))},
        chart=signed_rows(rows, NAMES, saturation_limit(rows)),
        alt=f"Heatmap of two equal rows of {rows.shape[1]} numbers: the one-hot vector with its 1 "
        f"at id {token_id} times the token table, and row {token_id} of the table.",
        below=caption(
            "Each row of the table is multiplied by its number in the one-hot vector, which is "
            "{count} long with a 1 at {place}; then all rows are added: a row times 0 adds "
            "nothing. Segment and position are looked up in the same way, each in its own table.",
            count=f"{len(words):,}",
            place=f"{token_id:,}",
        ),
        decimals=6,
        program=program(ONE_HOT_PROGRAM, bert, typed, position=position, name="one_hot"),
    )


@once_in_turn
def _library_output(encoder: Encoder, typed: InputText) -> Array:
    return encoder.embedding_layer(typed.tokenize(encoder.bert))


@view("the proof", page="Input Embeddings", rank=20, doing="Running the model's own layer …")
def proof(encoder: AnyEncoder, typed: InputText, position: int, large: bool = False) -> View:
    """The library's own embedding layer: its numbers against ours."""
    text = typed.tokenize(encoder.bert)
    ours = input_embeddings(encoder.bert, text).output
    theirs = _library_output(encoder, typed)
    limit = saturation_limit(theirs)
    panels = [Panel("our sum", ours, limit), Panel("the library", theirs, limit)]
    differences = np.abs(theirs - ours).max(axis=1)
    difference = float(differences.max())
    return card(
        say(
            "LayerNorm(token + segment + position), as drawn above, against "
            "<code>model.embeddings</code> of the transformers library: "
            "the largest difference over {count} numbers up to {largest} "
            "is <b>{difference}</b>. Ours is computed in 64 bits, the model's in 32, so the last "
            "digits are rounded differently.",
            count=f"{theirs.size:,}",
            difference=f"{difference:.1e}",
            largest=f"{np.abs(theirs).max():.2f}",
            method="the-proof",
        ),
        name="proof",
        columns={
            "position": text.position_ids,
            "token": text.tokens,
            "largest difference, in 10⁻⁷": differences * 1e7,
        },
        chart=embedding_stack(panels, text.tokens, chosen=position, large=large),
        alt=f"Two heatmaps of {len(text)} tokens by {theirs.shape[1]} dimensions that agree: our "
        f"sum after LayerNorm, and the library's. The largest difference is {difference:.1e}.",
        program=program(PROOF_PROGRAM, encoder.bert, typed, name="proof"),
    )


ONE_HOT_PROGRAM = '''
"""One token: its one-hot vector times the token table, and the row that is looked up."""

position = ...  # of the token
tokenizer, model, inputs = ...
table = model.embeddings.word_embeddings.weight.detach()
token_id = inputs["input_ids"][0, position]
product = torch.nn.functional.one_hot(token_id, len(table)).float() @ table
for name, numbers in {"one-hot x table": product, "row": table[token_id]}.items():
    print(name, *(f"{number:.4f}" for number in numbers[:4].tolist()))
print("largest difference", (product - table[token_id]).abs().max().item())
'''


PROOF_PROGRAM = '''
"""The modules of the embedding layer, and the sum by hand beside what the layer returns."""

embedding_parts = ...
tokenizer, model, inputs = ...
print(model.embeddings)
with torch.no_grad():
    own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
    norm = model.embeddings.LayerNorm
    # float64: the library rounds at every step, the sum by hand only at the end.
    by_hand = norm.double()(embedding_parts(model, inputs).double().sum(dim=0)).float()
print(f"{own.numel():,} numbers up to {own.abs().max():.2f}")
for token, difference in zip(inputs.tokens(), (own - by_hand).abs().amax(dim=1), strict=True):
    print(token, f"{1e7 * difference:.3f} in 10^-7")
'''
